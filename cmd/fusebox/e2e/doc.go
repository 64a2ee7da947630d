// Package e2e has the tests of the whole program: they build it, start it as people
// do, and know it by its command line, its pages, its API, and its log alone. It has
// nothing but tests.
package e2e
