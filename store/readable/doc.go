// Package readable shows what conversations have of documents as far as these are open to their
// owners now: readable.go what tools have read of them, citations.go what answers cite.
//
// It imports agent, agent/sources, and sqlite. Of the tables it writes only which documents a
// call has read.
package readable
