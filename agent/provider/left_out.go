package provider

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/wire"
)

// refusedTools remembers, by model, the tools whose definitions the endpoint has refused. A
// tool that has changed since is tried again.
type refusedTools struct {
	mu     sync.Mutex
	models map[string]map[string]refusedTool // by the names of tools
}

type refusedTool struct {
	spec agent.ToolSpec
	left agent.LeftOutTool
}

func (r *refusedTools) without(model string, tools []agent.ToolSpec) []agent.ToolSpec {
	r.mu.Lock()
	defer r.mu.Unlock()
	refused := r.models[model]
	if len(refused) == 0 {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t agent.ToolSpec) bool {
		was, known := refused[t.Name]
		return known && history.SameTool(was.spec, t)
	})
}

func (r *refusedTools) add(model string, t refusedTool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.models == nil || len(r.models) >= maxCapabilities && r.models[model] == nil {
		r.models = make(map[string]map[string]refusedTool)
	}
	if r.models[model] == nil || len(r.models[model]) >= maxToolTexts {
		r.models[model] = make(map[string]refusedTool)
	}
	r.models[model][t.spec.Name] = t
}

func (r *refusedTools) list() (all []agent.LeftOutTool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, tools := range r.models {
		for _, t := range tools {
			all = append(all, t.left)
		}
	}
	return all
}

// LeftOutTools are the tools that endpoints refuse to offer to models, sorted.
func (r *Router) LeftOutTools() (all []agent.LeftOutTool) {
	for _, p := range r.endpoints() {
		all = append(all, p.refused.list()...)
	}
	slices.SortFunc(all, func(a, b agent.LeftOutTool) int {
		return strings.Compare(a.Tool+"\x00"+a.Model, b.Tool+"\x00"+b.Model)
	})
	return all
}

// leaveOut takes the tools that a refusal names out of a question, and remembers them for
// its model. Each such refusal leaves fewer tools, so there is an end to it.
func (p *Provider) leaveOut(ctx context.Context, q *question, f *wire.Failure, acc *answer.Accumulator) (found bool, err error) {
	if f.Status != 400 && f.Status != 422 {
		return false, nil
	}
	names := namedTools(f.API, q.offered)
	if len(names) == 0 {
		return false, nil
	}
	for _, t := range q.offered {
		if slices.Contains(names, t.Name) {
			left := agent.LeftOutTool{Model: p.idOf(q.req.Model), Tool: t.Name, Why: f.Sentence(), At: agent.Stamp(p.clock)}
			p.refused.add(q.req.Model, refusedTool{t, left})
		}
	}
	q.offered = slices.DeleteFunc(slices.Clone(q.offered), func(t agent.ToolSpec) bool { return slices.Contains(names, t.Name) })
	p.log.WarnContext(ctx, "the endpoint refuses tools", "model", q.req.Model, "tools", names, "error", f)
	return true, acc.Send(agent.Delta{Kind: agent.DeltaNotice, Text: fmt.Sprintf(
		"The endpoint refuses the definition of %s, which %s is no longer offered: %s", listed(names), p.idOf(q.req.Model), f.Sentence())})
}

// listed are some names, and how many more there are.
func listed(names []string) string {
	const some = 5
	if len(names) <= some {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d other tools", strings.Join(names[:some], ", "), len(names)-some)
}

// Where refusals say which of the tools they mean: by its place among the declarations of
// Gemini's one tool, or among the tools. Places may be written tools[3], tools.3,
// /tools/3, or as in a list: "tools", 3.
var (
	declarationAt = regexp.MustCompile(`(?i)function_?declarations['"]?[\[./,\s]{1,3}(\d{1,4})\b`)
	toolAt        = regexp.MustCompile(`(?i)\b(?:tools|functions)['"]?[\[./,\s]{1,3}(\d{1,4})\b|\b(?:tools?|functions?) (?:at|with) index (\d{1,4})\b`)
)

// namedTools are those of the offered tools whose definition a refusal is about.
func namedTools(e wire.APIError, offered []agent.ToolSpec) (names []string) {
	if len(offered) == 0 {
		return nil
	}
	text := e.Text + " " + e.Param
	if names = toolsByName(text, offered); len(names) > 0 {
		return names
	}
	at := declarationAt.FindAllStringSubmatch(text, -1)
	if len(at) == 0 {
		at = toolAt.FindAllStringSubmatch(text, -1)
	}
	for _, place := range at {
		i, err := strconv.Atoi(strings.Join(place[1:], ""))
		if err == nil && i < len(offered) && !slices.Contains(names, offered[i].Name) {
			names = append(names, offered[i].Name)
		}
	}
	return names
}

// toolsByName finds names of tools where a refusal says that they are those of tools, else
// in quotes.
func toolsByName(text string, offered []agent.ToolSpec) []string {
	if !aboutDefinitions(text) {
		return nil
	}
	for _, form := range []string{"(?i:function|tool|schema for|declaration)s?(?i: named| name| with name|)[:=]?\\s*[`'\"“‘]?%s(?:[^\\w-]|$)", "[`'\"“‘]%s[`'\"”’]"} {
		var names []string
		for _, t := range offered {
			if !strings.Contains(text, t.Name) {
				continue
			}
			if named, err := regexp.MatchString(fmt.Sprintf(form, regexp.QuoteMeta(t.Name)), text); err == nil && named {
				names = append(names, t.Name)
			}
		}
		if len(names) > 0 {
			return names
		}
	}
	return nil
}

// aboutDefinitions reports whether a refusal is about what tools are, and not about their
// calls in the history, or the form of the answer.
func aboutDefinitions(text string) bool {
	text = strings.ToLower(text)
	in := func(word string) bool { return strings.Contains(text, word) }
	if in("response_format") {
		return false
	}
	return in("schema") || slices.ContainsFunc([]string{"parameters", "function", "tool", "declaration"}, in) &&
		!slices.ContainsFunc([]string{"tool_call", "tool call", "toolcall", "tool_choice", "tool_use", "function_call", "function call", "messages", "arguments"}, in)
}
