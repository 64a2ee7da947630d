package web_test

import (
	"context"
	"time"

	"fusebox/agent"
)

// fixedModels are endpoints that never change; the second one is down.
type fixedModels struct{}

func (fixedModels) Models() []agent.ModelInfo {
	return []agent.ModelInfo{
		{ID: "demo", Family: "openai", Window: 128_000},
		{ID: "local/<small>", Endpoint: "local", Family: "ollama", Thinking: true, Whole: true},
	}
}

func (fixedModels) Endpoints() []agent.EndpointInfo {
	return []agent.EndpointInfo{
		{Address: "http://127.0.0.1:1/v1", Models: 1},
		{Name: "local", Address: "http://127.0.0.1:2/v1", Family: "ollama", Problem: "The model server could not be reached.", Open: true},
	}
}

func (fixedModels) Refresh(context.Context) {}

func (fixedModels) Probe(_ context.Context, id string) agent.ModelReport {
	ok := agent.Check{OK: true}
	return agent.ModelReport{
		Model: id, Latency: 120 * time.Millisecond, Total: 1500 * time.Millisecond, Answer: ok, Streaming: ok, Usage: ok,
		Tools: agent.Check{Problem: "the model did not call the tool it was asked to call"}, Reasoning: agent.Check{Problem: "the model shows no reasoning"},
	}
}
