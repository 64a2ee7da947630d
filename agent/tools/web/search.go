package web

import (
	"context"
	_ "embed" // the description is a file
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"fusebox/agent"
	"fusebox/agent/sources"
)

//go:embed web_search.md
var searchText string

// The bounds of a search.
const (
	usualCount = 5
	maxCount   = 10
	maxTitle   = 200
	maxSnippet = 500
	maxAddress = 2000
)

// Result is one of a search.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// Search is the tool web_search.
type Search struct {
	ask func(ctx context.Context, query string, count int) ([]Result, error)
	log *slog.Logger
}

// Spec declares the tool.
func (*Search) Spec() agent.ToolSpec {
	s := spec(sources.SearchTool, searchText, `{
		"type": "object", "additionalProperties": false, "required": ["query"],
		"properties": {
			"query": {"type": "string", "minLength": 1, "maxLength": 400, "description": "What to search for, in a few words"},
			"count": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How many results, 5 by default"}
		}
	}`)
	s.Risk, s.FixedHost, s.Timeout = agent.RiskLow, true, searchTime
	return s
}

// Run searches.
func (t *Search) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	args := struct {
		Query string
		Count int
	}{Count: usualCount}
	if err := json.Unmarshal(in.Args, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	found, err := t.ask(ctx, args.Query, args.Count)
	if err != nil {
		return t.failure(ctx, err)
	}
	return encode(struct {
		Results []Result `json:"results"`
	}{clean(found, args.Count)})
}

// Check tries the service, for people who set it up.
func (t *Search) Check(ctx context.Context) error {
	_, err := t.ask(ctx, "fusebox", 1)
	return err
}

func (t *Search) failure(ctx context.Context, err error) agent.ToolResult {
	if ctx.Err() != nil {
		return agent.ToolResult{ErrorType: agent.ErrCancelled}
	}
	t.log.Warn("searching the web failed", "error", err)
	if f, ok := errors.AsType[*serviceError](err); ok {
		return failed(agent.ErrNetwork, "%s", f.model)
	}
	return failed(agent.ErrNetwork, "The search service could not be reached. Try again later, or answer without a search and say so.")
}

// clean keeps the results that lead somewhere, in bounds.
func clean(found []Result, count int) []Result {
	out := make([]Result, 0, count)
	for _, r := range found {
		if len(out) == count {
			break
		}
		r.URL = strings.TrimSpace(r.URL)
		if _, err := pageAddress(r.URL); err != nil || len(r.URL) > maxAddress {
			continue
		}
		out = append(out, Result{Title: agent.Clip(plain(r.Title), maxTitle), URL: r.URL, Snippet: agent.Clip(plain(r.Snippet), maxSnippet)})
	}
	return out
}

// plain is a text without the tags with which services mark words.
func plain(s string) string {
	if strings.ContainsAny(s, "<&") {
		s = withoutTags(s)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
