// Package request reads what a request says: who asks and by what right, JSON
// bodies, pages of lists, filters and ranges. It also writes what may be said of
// an error.
package request
