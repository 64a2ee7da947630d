package provider

import (
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
)

// The names of the limit of an answer. The old one is known nearly everywhere;
// some models refuse it and want the new one.
const (
	oldLimitName = "max_tokens"
	newLimitName = "max_completion_tokens"
)

// bound writes how much output there may be, under one name. A limit among the
// configured keys of a model stands where it is the lower one: budgets rest on
// what is asked for here.
func (o *outgoing) bound(params *openai.ChatCompletionNewParams, extra map[string]any) {
	limit := o.req.MaxTokens
	if limit <= 0 {
		return
	}
	configured := false
	for _, name := range []string{oldLimitName, newLimitName} {
		if own, ok := extra[name]; ok {
			extra[name], configured = min(limit, whole(own, limit)), true
		}
	}
	switch {
	case configured, o.newLimit && !o.has(newLimitName):
	case o.newLimit:
		params.MaxCompletionTokens = param.NewOpt(limit)
	default:
		params.MaxTokens = param.NewOpt(limit)
	}
}

// whole reads a number of a configuration; what is none is otherwise.
func whole(v any, otherwise int64) int64 {
	switch n := v.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return otherwise
}
