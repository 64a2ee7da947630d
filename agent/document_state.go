package agent

import (
	"slices"
	"time"
)

// DocumentProblems are all of them.
func DocumentProblems() []DocumentProblem {
	return []DocumentProblem{
		ProblemEmpty, ProblemScan, ProblemLocked, ProblemBroken, ProblemUnreadable, ProblemTooLarge, ProblemUnsupported, ProblemStopped, ProblemNoReader,
		ProblemDuplicate, ProblemLost,
	}
}

// MayPass reports whether reading the same file once more may help: it was the reader that failed.
func (p DocumentProblem) MayPass() bool {
	return slices.Contains([]DocumentProblem{ProblemStopped, ProblemNoReader}, p)
}

// DocumentSums are the documents of a person in numbers. Failed are those whose newest version has
// no text; Waiting are versions that wait to be read, or are being read.
type DocumentSums struct {
	Documents, Versions, Failed, Waiting int
	Passages, Bytes                      int64
	// LastAdded is when the newest file came, zero for none.
	LastAdded time.Time
}

// Add adds the numbers of another person.
func (s DocumentSums) Add(o DocumentSums) DocumentSums {
	s.Documents, s.Versions, s.Failed, s.Waiting = s.Documents+o.Documents, s.Versions+o.Versions, s.Failed+o.Failed, s.Waiting+o.Waiting
	s.Passages, s.Bytes = s.Passages+o.Passages, s.Bytes+o.Bytes
	if o.LastAdded.After(s.LastAdded) {
		s.LastAdded = o.LastAdded
	}
	return s
}

// DocumentsState is how the documents of a person stand.
type DocumentsState struct {
	DocumentSums
	// Searched have a version that answers.
	Searched int
	// Problems are why others have none, the most frequent first.
	Problems []ProblemCount
	// Ahead is how many files at most are read before the first of the person's that wait.
	Ahead int
	// Reading are those that are being read, the longest first.
	Reading []DocumentRead
	// Rebuild is nil where the index is whole.
	Rebuild *IndexRebuild
	Vectors VectorStatus
	// EmbeddedThisMonth and EmbeddedEver are what embedding has taken of the person, in this month
	// of UTC and in all.
	EmbeddedThisMonth, EmbeddedEver SpendSum
}

// ProblemCount is how many documents have a problem.
type ProblemCount struct {
	Problem   DocumentProblem
	Documents int
}

// DocumentRead is a document that is being read.
type DocumentRead struct {
	ID, Name string
	Since    time.Time
}

// IndexRebuild is how far the index of all passages has been rebuilt.
type IndexRebuild struct{ Done, Passages int64 }

// DocumentUse is what the documents of one person take. It names nothing of them.
type DocumentUse struct {
	UserID, Email, Name string
	DocumentSums
	// Embedded is what embedding has taken of them in all.
	Embedded SpendSum
}

// DocumentUseOrder is what people are listed by; the numbers have the largest first.
type DocumentUseOrder string

// The orders of people.
const (
	OrderName      DocumentUseOrder = "name"
	OrderDocuments DocumentUseOrder = "documents"
	OrderBytes     DocumentUseOrder = "bytes"
	OrderVersions  DocumentUseOrder = "versions"
	OrderPassages  DocumentUseOrder = "passages"
	OrderFailed    DocumentUseOrder = "failed"
	OrderWaiting   DocumentUseOrder = "waiting"
	OrderTokens    DocumentUseOrder = "tokens"
	OrderCost      DocumentUseOrder = "cost"
	OrderAdded     DocumentUseOrder = "added"
)

// DocumentUseOrders are all of them; the first is the usual one.
func DocumentUseOrders() []DocumentUseOrder {
	return []DocumentUseOrder{OrderBytes, OrderName, OrderDocuments, OrderVersions, OrderPassages, OrderFailed, OrderWaiting, OrderTokens, OrderCost, OrderAdded}
}
