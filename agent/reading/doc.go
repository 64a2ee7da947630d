// Package reading reads the files of people: it makes text with places out of bytes. It
// knows no database and no process.
package reading
