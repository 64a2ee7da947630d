// Package provider talks to a model behind any OpenAI-compatible endpoint. It
// implements agent.Provider and agent.TokenCounter.
//
// Requests, types and transport are openai-go's. The reading of the answer is
// ours, on the raw response (sse.go, stream.go, accumulate.go), and so is the
// one layer of retries (retry.go): every wait is an event that a person sees.
//
// It imports agent and no other package of this module. No caller learns from
// it which provider is behind the endpoint.
package provider
