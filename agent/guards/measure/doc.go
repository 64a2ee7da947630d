// Package measure counts how often the breakers are right about histories whose
// labels say what they should have made of them, with the present settings and,
// beside them, with others.
//
// It imports the packages agent, guards, and histories, and nothing else of
// Fusebox.
package measure
