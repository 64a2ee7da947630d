package agent

// Judge asks a model whether a run is going in circles.
type Judge interface {
	// Request makes the question from the task and the newest messages.
	Request(model, task string, recent []Message) Request
	// Read reads the answer; an answer that does not fit the schema is an error.
	Read(answer string) (Opinion, error)
}

// Opinion is what a judge thinks: how sure it is, 0 to 1, that the run is in a loop.
type Opinion struct {
	Reasoning  string  `json:"reasoning"`
	Confidence float64 `json:"confidence"`
}
