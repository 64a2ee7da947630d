package agent

// UserData counts what belongs to a person, and goes when their account is removed.
type UserData struct {
	Conversations int `json:"conversations"`
	Runs          int `json:"runs"`
	// Active are the runs that have not ended.
	Active int `json:"-"`
	Tokens int `json:"tokens"`
	// Budgets are those for this person alone.
	Budgets int `json:"budgets"`
	// Facts are what is remembered about them.
	Facts int `json:"facts"`
}

// removedTail is how much of an id tells removed people apart.
const removedTail = 6

// RemovedUser is the name of a person whose account was removed, in what is kept of
// them. The store knows how it is put together, too.
func RemovedUser(id string) string {
	return "removed user " + id[max(0, len(id)-removedTail):]
}
