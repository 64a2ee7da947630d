// Package room is what runs on the other side of a program's start: the
// supervisor that stays as long as the program does and ends what is left of
// it, and the last step before the program, which puts up the walls. Both are
// this executable once more, told by its first argument.
//
// A command must cost a few milliseconds and the program's own initialisation
// takes more than twenty. Go initialises packages in the order of their import
// paths as soon as what they import is ready. This one imports nothing but
// small packages of the standard library, and of these none that comes after
// reflect: fmt and strings would have most of the library initialised first.
// So it is ready among the first; init never returns where it is called for. That
// is why it speaks to the kernel itself: the libraries that could are
// initialised last.
package room
