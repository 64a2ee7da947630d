// Package retrieval measures how well questions about documents are answered: it has documents
// with questions of its own, reads questions that others wrote, and adds up which places the
// right passages have. It knows nothing of how they are found.
//
// It imports the standard library.
package retrieval
