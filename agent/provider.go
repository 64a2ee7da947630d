package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Provider is a model behind an endpoint. Complete sends one request and calls
// sink for everything a watcher should see, in order, from one goroutine. It
// retries on its own: each wait is a DeltaRetry, and a DeltaReset voids all
// deltas before it. An error of sink ends the stream at once and is returned.
//
// The returned Completion is made of exactly the deltas since the last reset.
// Errors are *ProviderError, or the cause of a cancelled context.
type Provider interface {
	Complete(ctx context.Context, req Request, sink func(Delta) error) (Completion, error)
}

// TokenCounter estimates how many tokens a request's prompt takes.
type TokenCounter interface {
	CountPrompt(req Request) int64
	CountText(text string) int64
}

// Request is one model call.
type Request struct {
	Model    string
	System   string
	Messages []Message
	Tools    []ToolSpec
	// Schema binds the answer to a JSON schema; nil binds it to nothing.
	Schema json.RawMessage
	// MaxTokens bounds the output; 0 leaves it to the provider.
	MaxTokens int64
	// Thinking is asked of models that can think.
	Thinking Thinking
	// RunID is the run that asks, for the log of raw exchanges; "" logs nothing.
	RunID string
	// Again is asked before each further request that may cost something on top of
	// spent: another model of the chain, or the same call once more after a part
	// of an answer. model is the one to be asked. It returns how much output that
	// request may have; an error ends the call and is returned as it is. nil
	// allows everything.
	ReserveRetry func(ctx context.Context, model string, spent Spent) (maxTokens int64, err error)
	// CallIDs are those of the run's earlier calls if some are in no message
	// any more, because a summary took its place: no new call may have one of them.
	CallIDs []string
	// OpenImage reads a picture of a run's results, for models that see.
	OpenImage func(runID, name string) ([]byte, error)
	// Memory makes the requests of a run cost what is new in them; nil keeps nothing.
	Memory *Memory
}

// DeltaKind says what a Delta carries.
type DeltaKind int

// The kinds of deltas.
const (
	DeltaText DeltaKind = iota + 1
	DeltaReasoning
	DeltaCallStart // CallID, ToolName
	DeltaCallArgs  // CallID, Text
	DeltaRetry     // Retry
	DeltaReset
	DeltaFallback // Fallback
	DeltaNotice   // Text, for the person: something to know about this answer
)

// Delta is a piece of an answer on its way. CallID is the same for all deltas
// of one call and unique within the completion, whatever the provider sent.
type Delta struct {
	Kind     DeltaKind
	Text     string
	CallID   string
	ToolName string
	Retry    RetryEvent
	Fallback FallbackEvent
}

// How far an answer may run beyond Request.MaxTokens before a Provider cuts it
// off, in percent and tokens: its count is not the model's, and reasoning takes
// marks that no one sees. Budgets reserve as much for it.
const (
	OverPercent = 10
	OverTokens  = 64
)

// Completion is a whole answer. A call whose arguments did not arrive whole is
// in it only if Cut names it; arguments in a wrapping (a code fence, JSON in a
// JSON string) are in it without.
type Completion struct {
	Content      string
	Reasoning    string
	Calls        []CallRequest
	Cut          CutCalls
	FinishReason string
	// Usage is all that was taken, by tries that came to nothing too; Spent is the
	// same by model, and Tries how many requests it was for.
	Usage Usage
	Spent Spent
	Tries int
	Model string // as the provider named it
	// Provider is the name of the endpoint that answered, RequestID how it names the call.
	Provider  string
	RequestID string
	// AnsweredBy is the model that answered in place of the requested one, ""
	// where that one did.
	AnsweredBy string
	// Data becomes Message.Data.
	Data json.RawMessage
	// Mistake says why a call that the model wrote as text cannot be made, "" where
	// it wrote none. Its text is not in Content.
	Mistake string
}

// CutCalls are the calls of an answer whose arguments end where the output limit was
// reached: they must not run, and asked for again they would end there again.
type CutCalls struct {
	IDs   []string
	Limit int64 // in tokens
}

// ProviderError is a model call that failed after all retries.
type ProviderError struct {
	// Status is the HTTP status, 0 when there was none.
	Status int
	// Message is a sentence for the person, without secrets.
	Message string
	// Retryable says that retrying later may help.
	Retryable bool
	// TooLong says that the prompt does not fit the model's context window.
	TooLong bool
	// Calls counts how many tries failed.
	Attempts int
	Err      error
}

// Error is the message, and the cause as far as the message does not say it.
func (e *ProviderError) Error() string {
	cause := e.Err
	type sentence interface {
		error
		Sentence() string
	}
	if said, ok := errors.AsType[sentence](e.Err); ok {
		cause = errors.Unwrap(said)
	}
	if cause != nil {
		return e.Message + " (" + cause.Error() + ")"
	}
	return e.Message
}

func (e *ProviderError) Unwrap() error { return e.Err }

// Memory is where a Provider keeps what it has made of the messages of earlier
// requests, so that a further request costs what is new in it. It belongs to
// one conversation, whose requests are made one after the other; their messages are
// not changed any more. The zero value is empty.
type Memory struct {
	once sync.Once
	kept any
}

// Keep returns what is kept, which the first call makes.
func (m *Memory) Keep(first func() any) any {
	m.once.Do(func() { m.kept = first() })
	return m.kept
}

// DefaultModelKey is the setting that names the model of conversations that name
// none, where no configuration does.
const DefaultModelKey = "default_model"

// ModelInfo describes a model to people who choose one.
type ModelInfo struct {
	ID       string `json:"id"`
	Endpoint string `json:"endpoint,omitempty"` // "" is the one of the command line
	Family   string `json:"family,omitempty"`
	// Window is the context window in tokens, 0 if unknown.
	Window   int64 `json:"contextWindow,omitempty"`
	Vision   bool  `json:"vision,omitempty"`
	Thinking bool  `json:"thinking,omitempty"`
	// Whole says that answers with tools are not streamed.
	Whole bool `json:"whole,omitempty"`
	// NoChat says that it does something else, such as embeddings: it is not offered.
	NoChat bool `json:"-"`
}

// EndpointInfo is the status of an endpoint.
type EndpointInfo struct {
	Name    string
	Address string // without its query
	Family  string
	Models  int    // how many it lists
	Problem string // why it does not list them, "" where it does
	Open    bool   // its breaker is open
}

// Check is one thing that a test of a model looked at.
type Check struct {
	OK      bool   `json:"ok"`
	Problem string `json:"problem,omitempty"`
}

// ModelReport is the outcome of a test of a model by true requests.
type ModelReport struct {
	Model string
	// Latency is how long the first piece took, Total the whole first answer.
	Latency, Total                             time.Duration
	Answer, Streaming, Tools, Usage, Reasoning Check
}
