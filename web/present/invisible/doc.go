// Package invisible makes characters visible that a reader would not see, and
// that could hide what a command does.
package invisible
