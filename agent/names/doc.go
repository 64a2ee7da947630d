// Package names reads what people want to be called, and finds accounts whose names or
// addresses look alike.
//
// Of this module it imports the package agent only.
package names
