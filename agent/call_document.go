package agent

// CallDocument is a document that a tool call has read.
type CallDocument struct {
	CallID
	DocumentID string
	// Closed says that it is not open to the owner of the conversation any more. What was their
	// own and is deleted is not closed.
	Closed bool
}

// ClosedDocuments are those that calls have read and that are closed now, by the calls.
type ClosedDocuments map[CallID][]string

// ClosedOf sorts what is closed by the calls, nil for nothing.
func ClosedOf(read []CallDocument) ClosedDocuments {
	var closed ClosedDocuments
	for _, d := range read {
		if !d.Closed {
			continue
		}
		if closed == nil {
			closed = ClosedDocuments{}
		}
		closed[d.CallID] = append(closed[d.CallID], d.DocumentID)
	}
	return closed
}
