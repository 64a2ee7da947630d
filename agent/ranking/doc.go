// Package ranking cuts texts and questions into terms, finds terms in texts, and orders
// texts by how well they answer a question. It knows words of any script and, where a
// script puts no spaces between them, pairs of characters. Characters that look or read
// alike are the same to it.
//
// It imports the standard library and golang.org/x/text.
package ranking
