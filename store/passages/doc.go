// Package passages is the index of what documents say. index.go puts passages in and takes
// them out within a change; search.go finds them by their words (words.go), by what they mean
// (vectors.go), or both, and ranking.go says which are the best. tidy.go takes what is gone out
// of the files, and rebuild.go makes a damaged index anew.
//
// It imports agent, agent/ranking, and sqlite. Of the other tables it knows documents, which of
// their versions answers, and the rights in their collections. What a vector costs it has
// booked. The index is SQLite's own: FTS4.
package passages
