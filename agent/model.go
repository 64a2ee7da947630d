package agent

import "time"

// DefaultModelKey is the setting that names the model of conversations that name
// none, where no configuration does.
const DefaultModelKey = "default_model"

// ModelInfo is what people who choose a model see of it.
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
