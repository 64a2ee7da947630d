package agent

// RiskJudge asks a model how much harm calls could do.
type RiskJudge interface {
	// Request makes the question from the task and the calls of one answer.
	Request(model, task string, calls []ToolCall) Request
	// Read reads the answer, by the call's id; one that does not fit the schema is an error.
	Read(answer string) (map[string]Judged, error)
}

// Judged is what a model thinks of a call.
type Judged struct {
	Risk   Risk   `json:"risk"`
	Reason string `json:"reason"`
}
