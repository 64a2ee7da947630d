// Package ranking orders texts by how well they answer a query. It knows words of any
// script and, where a script puts no spaces between them, pairs of characters.
//
// It imports the standard library only.
package ranking
