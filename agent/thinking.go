package agent

// ThinkingMode is whether a conversation's model thinks before it answers.
type ThinkingMode string

// The modes of thinking. The empty one leaves it to the model.
const (
	ThinkingOff ThinkingMode = "off"
	ThinkingOn  ThinkingMode = "on"
)

// MaxThinkingTokens bounds the budget of thinking.
const MaxThinkingTokens = 1_000_000

// Thinking is what a request asks of a model that can think. Tokens bounds the thoughts
// of one answer; 0 leaves that to the model.
type Thinking struct {
	Mode   ThinkingMode
	Tokens int64
}

// Check checks a mode and its budget; each error names the field.
func (t Thinking) Check() error {
	switch {
	case t.Mode != "" && t.Mode != ThinkingOff && t.Mode != ThinkingOn:
		return InvalidField("thinking", "%q is not allowed; allowed: off, on, or empty for the model's own way", t.Mode)
	case t.Tokens < 0 || t.Tokens > MaxThinkingTokens:
		return InvalidField("thinkingTokens", "is %d; allowed: 0 (the model's own) to %d", t.Tokens, MaxThinkingTokens)
	case t.Tokens > 0 && t.Mode != ThinkingOn:
		return InvalidField("thinkingTokens", "needs thinking to be on")
	}
	return nil
}
