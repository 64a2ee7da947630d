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

var limitNames = []string{oldLimitName, newLimitName}

// limit is how much output the request names at most, 0 for any.
func (o *outgoing) limit() int64 {
	limit := o.req.MaxTokens
	for _, name := range limitNames {
		if own, ok := o.extra[name]; ok {
			limit = lower(own, limit)
		}
	}
	return max(limit, 0)
}

// bound writes how much output there may be, under one name. A limit among the
// configured keys of a model applies if it is the lower one: budgets rest on
// what is asked for here.
func (o *outgoing) bound(params *openai.ChatCompletionNewParams, extra map[string]any) {
	limit := o.req.MaxTokens
	if limit <= 0 {
		return
	}
	configured := false
	for _, name := range limitNames {
		if own, ok := extra[name]; ok {
			extra[name], configured = lower(own, limit), true
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

// lower is a configured limit where it is the lower one. What is not a number, and
// the numbers that mean no limit, give way.
func lower(own any, limit int64) int64 {
	var n int64
	switch v := own.(type) {
	case int:
		n = int64(v)
	case int64:
		n = v
	case float64:
		n = int64(v)
	}
	if n <= 0 || limit > 0 && limit < n {
		return limit
	}
	return n
}
