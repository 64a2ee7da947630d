// Package provider talks to models behind any OpenAI-compatible endpoint. A
// Provider is one endpoint, a Router several; both implement agent.Provider and
// agent.TokenCounter.
//
// Requests, types and transport are openai-go's. The reading of the answer is
// ours, on the raw response:
//
//	sse.go         lines and events, as the standard says
//	stream.go      events into chunks, whatever else the body turns out to be
//	quirk.go       tables: habits of endpoints, what arrives and what has to leave
//	accumulate.go  chunks into deltas and, at the end, a completion of just these
//	call.go        which call a fragment belongs to
//	think.go       reasoning in the text;  markup.go, dialect.go: calls in the text
//
// And so is all that is done about faults: one layer of retries (retry.go), in
// which every wait is an event that a person sees; fallbacks for calls that
// broke off (chain.go); what a refusal teaches of a model (learned.go); a
// breaker for each endpoint and the next model of a chain (breaker.go,
// router.go); histories repaired on their way out (repair.go); a watchdog for
// silence (watchdog.go).
//
// It imports agent and no other package of this module. No caller learns from
// it which provider is behind an endpoint.
package provider
