// Package provider talks to models behind any OpenAI-compatible endpoint. A
// Provider is one endpoint, a Router several; both implement agent.Provider and
// agent.TokenCounter.
//
// Requests, types and transport are openai-go's. Package wire reads the body of
// an answer and package answer puts the answer together; package history makes
// histories that every endpoint accepts, package models reads what models there
// are. None of them imports this package, and wire does not import answer. Here
// is what goes out and what is done about faults:
//
//	request.go, limit.go       requests, and how much output they ask for
//	family.go, quirk.go        what families of endpoints, and single ones, want of them
//	capabilities.go            what refusals teach of a model;  left_out.go: of a tool
//	complete.go                one model call, billed
//	retry.go                   the only layer of retries, and calls that broke off
//	transport.go, watchdog.go  connections that fail, and an end to silence
//	backoff.go, line.go        calls that wait for a busy endpoint, one behind the other
//	breaker.go, router.go      endpoints that fail, and the next model of a chain
//	models.go, probe.go        which models there are, and what they can do
//	tokens.go                  estimates of what goes out
//
// Every wait before a retry is an event that a person sees.
//
// It imports agent and its own parts, and no other package of this module. No
// caller learns from it which provider is behind an endpoint.
package provider
