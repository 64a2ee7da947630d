// Package picture finds the pictures in what tools from outside answer, goes by what is in
// them, and puts a line of text in their place. scrub.go finds those that are written out in
// a text.
//
// Of this module it imports agent only.
package picture
