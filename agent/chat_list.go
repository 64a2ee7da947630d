package agent

import "time"

// ChatList is what a person's conversations are chosen from, newest change first.
type ChatList struct {
	Items []ListedChat
	// Open is the conversation that is being read where it is not among the items, else nil.
	Open *ListedChat
	// Found is how many there are in all.
	Found int
}

// ListedChat is a conversation as a list shows it. Said is how what was said last begins;
// ActiveStatus is that of its active run, "" for none.
type ListedChat struct {
	ID, Title, Said string
	ActiveStatus    Status
	UpdatedAt       time.Time
}

// ChatListQuery is whose conversations are listed, and which.
type ChatListQuery struct {
	OwnerID string
	Search  string // a part of the title, ignoring case
	Open    string // the conversation that is being read, "" for none
	Limit   int
}
