package answer

import (
	"strings"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

// The finish reasons that answers are stored with. finishCalls and finishFunction both say
// that the answer asks for tools; what an endpoint says that is in no row of the table is
// kept as it is.
const (
	finishStop     = "stop"
	finishCalls    = "tool_calls"
	finishFunction = "function_call"
	finishLength   = "length"
	finishFilter   = "content_filter"
	finishError    = "error"
)

// finishReasons are the words that endpoints have for the end of an answer, in lower case,
// by what they mean: it is whole, was cut at a limit, was refused, or came to nothing for
// now. Sources: the documentation of OpenAI, Anthropic, Gemini, Mistral, Cohere, DeepSeek,
// and GLM, and the source of vLLM, TGI, llama.cpp, and Ollama.
var finishReasons = map[string]string{
	"stop": finishStop, "end_turn": finishStop, "stop_sequence": finishStop, "eos": finishStop, "eos_token": finishStop,
	"complete": finishStop, "completed": finishStop, "done": finishStop, "finish_reason_stop": finishStop,
	"tool_calls": finishCalls, "tool_call": finishCalls, "tool_use": finishCalls,
	"function_call": finishFunction,

	"length": finishLength, "max_tokens": finishLength, "max_output_tokens": finishLength, "max_length": finishLength,
	"model_length": finishLength, "model_context_window_exceeded": finishLength, "context_length_exceeded": finishLength,
	"finish_reason_max_tokens": finishLength, "incomplete": finishLength,

	"content_filter": finishFilter, "content_filtered": finishFilter, "refusal": finishFilter, "sensitive": finishFilter,
	"safety": finishFilter, "recitation": finishFilter, "blocklist": finishFilter, "prohibited_content": finishFilter,
	"spii": finishFilter, "error_toxic": finishFilter, "guardrail_intervened": finishFilter,

	"error": finishError, "insufficient_system_resource": finishError, "network_error": finishError, "engine_error": finishError,
	"server_error": finishError, "internal_error": finishError, "abort": finishError, "aborted": finishError, "timeout": finishError,
	"malformed_function_call": finishError, "error_limit": finishError, "overloaded": finishError, "model_overloaded": finishError,
	"engine_overloaded": finishError, "server_overload": finishError, "preempted": finishError, "unavailable": finishError,
	"rate_limit": finishError, "rate_limited": finishError, "rate_limit_exceeded": finishError, "capacity_exceeded": finishError,
	"canceled": finishError, "cancelled": finishError,
}

// maxFinish bounds a reason that is in no row of the table.
const maxFinish = 80

// takeFinish notes how an answer ends. What may pass is a failure, so that it is asked for again.
func (a *Accumulator) takeFinish(said string) error {
	reason, known := finishReasons[strings.ToLower(said)]
	if !known {
		a.finish = agent.Clip(said, maxFinish)
		return nil
	}
	if a.finish = reason; reason != finishError {
		return nil
	}
	f := &wire.Failure{Retryable: true, Said: "reported an error"}
	if !strings.EqualFold(said, finishError) {
		f.Said = "gave up its answer: " + strings.ToLower(said)
	}
	return f
}

// cutShort reports whether the model was stopped where it stood, so that
// broken arguments are half arguments and not its mistake.
func (a *Accumulator) cutShort() bool {
	switch a.finish {
	case finishStop, finishCalls, finishFunction:
		return false
	}
	return true
}

func (a *Accumulator) mayNotBeEmpty() bool {
	return a.finish != finishLength && a.finish != finishFilter
}
