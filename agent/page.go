package agent

// Page asks for part of a list: at most Limit items after Cursor, newest first.
type Page struct {
	Limit  int
	Cursor string
}
