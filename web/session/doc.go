// Package session keeps browsers signed in: cookies, form tokens, and the line
// that the next page shows.
package session
