package agent

// Version is where a message of a conversation stands among its versions: the messages that
// follow the same one. A person's message is a version by itself, an answer with all that its run
// has written.
type Version struct {
	ConversationID string
	// ID is the message with which the version begins.
	ID string
	// AskedID is the person's message that the version is, or answers, and AskedRunID the run
	// that was started with it.
	AskedID    string
	AskedRunID string
	// RunID is the run of the version, and Newest its last message.
	RunID  string
	Newest string
	// Cut says that the run was ended before its answer was, or the answer by the output limit.
	Cut bool
}

// Asks reports whether the version is a person's message.
func (v Version) Asks() bool { return v.ID == v.AskedID }

// Below is what stands at and below a message.
type Below struct {
	// Deleted counts messages as a branch lists them, Shown persons' messages and answers.
	Deleted int `json:"deleted"`
	Shown   int `json:"shown"`
}
