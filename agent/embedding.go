package agent

import "context"

// Embedder has a model turn texts into vectors, which are near each other where the texts
// mean the same. Errors are *ProviderError, or the cause of a cancelled context.
type Embedder interface {
	Embed(ctx context.Context, req EmbeddingRequest) (Embedding, error)
}

// EmbeddingRequest is one call of a model of embeddings.
type EmbeddingRequest struct {
	Model string
	Texts []string
	// Once asks only once, for a caller who cannot wait.
	Once bool
}

// Embedding has a vector for each text, in their order and all of one length.
type Embedding struct {
	Vectors [][]float32
	Usage   Usage
	// Provider is the name of the endpoint that answered.
	Provider string
}

// VectorModel is the model whose vectors passages are compared by, as the store keeps it.
type VectorModel struct {
	ID    int64
	Model string
	// Dimension is the length of its vectors, 0 as long as it has not answered.
	Dimension int
	// Floor is the similarity from which on a passage answers a question.
	Floor float64
	// Problem is why nothing is embedded any more, "" where something is.
	Problem string
}

// VectorCounts are how many passages there are, and how many have been embedded.
type VectorCounts struct {
	Passages, Embedded int64
	// Terms are those of all passages.
	Terms int64
}

// VectorPassage is a passage that is to be embedded.
type VectorPassage struct {
	ID   int64
	Text string
}

// VectorStatus is how far the passages of a person, or of all, have been embedded.
type VectorStatus struct {
	// Model is "" where none is configured.
	Model string
	VectorCounts
	// Tokens is about how many those take that are left, and CostMicros what they cost;
	// Priced is false where the model has no known price.
	Tokens, CostMicros int64
	Priced             bool
	// Problem is why nothing is embedded any more. OverBudget says that the budget of the
	// person, or of somebody, has no room for it.
	Problem    string
	OverBudget bool
}

// Finding is what a search in documents has found.
type Finding struct {
	Passages []Found
	// WordsOnly says that meanings could not be compared this time, though they usually are.
	WordsOnly bool
}
