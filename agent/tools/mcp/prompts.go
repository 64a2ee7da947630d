package mcp

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/tools/printable"
)

// Bounds of prompts: how long a server may take to list them and to write one, and how much
// of each.
const (
	promptsTime  = 3 * time.Second
	promptTime   = 10 * time.Second
	maxPrompts   = 100
	maxPromptArg = 20
	maxPrompt    = 64 << 10 // bytes of a prompt's text
)

// HasPrompts reports whether a server that the viewer may use offers prompts.
func (s *Servers) HasPrompts(v agent.Viewer) bool { return len(s.prompting(v)) > 0 }

// Prompts asks all servers that the viewer may use, at once. One that does not answer in
// time is named, and holds nobody up.
func (s *Servers) Prompts(ctx context.Context, v agent.Viewer) agent.ServerPrompts {
	asked := s.prompting(v)
	lists, errs := make([][]agent.ServerPrompt, len(asked)), make([]error, len(asked))
	var all sync.WaitGroup
	for i, k := range asked {
		all.Go(func() {
			lists[i], errs[i] = within(ctx, k.clock, promptsTime, k.prompts)
		})
	}
	all.Wait()
	found := agent.ServerPrompts{Items: []agent.ServerPrompt{}}
	for i, k := range asked {
		if errs[i] != nil {
			k.log.Warn("listing prompts failed", "server", k.conf.Name, "error", k.inWords(errs[i]))
			found.Silent = append(found.Silent, k.conf.Name)
		}
		found.Items = append(found.Items, lists[i]...)
	}
	return found
}

// Prompt has a server write a prompt. NotFound for what the viewer may not use, Unavailable
// where the server does not answer in time, Invalid where it refuses.
func (s *Servers) Prompt(ctx context.Context, v agent.Viewer, server, name string, args map[string]string) (string, error) {
	for _, k := range s.prompting(v) {
		if k.conf.Name != server {
			continue
		}
		text, err := within(ctx, k.clock, promptTime, func(ctx context.Context) (string, error) { return k.prompt(ctx, name, args) })
		switch {
		case err == nil:
			return text, nil
		case isRefusal(err):
			return "", agent.Errorf(agent.Invalid, "%s does not give this prompt: %s", server, agent.Clip(k.inWords(err), maxProblem))
		default:
			return "", agent.Wrap(agent.Unavailable, err, "%s does not answer. Try again later.", server)
		}
	}
	return "", agent.Errorf(agent.NotFound, "There is no such prompt.")
}

// prompting are the servers that work, offer prompts, and may be used by the viewer.
func (s *Servers) prompting(v agent.Viewer) []*keeper {
	var list []*keeper
	for _, k := range s.keepers {
		if open := k.current(); open != nil && open.capabilities().Prompts != nil && (agent.ToolSpec{Roles: k.conf.Roles}).MayBeUsedBy(v.Role) {
			list = append(list, k)
		}
	}
	return list
}

// current is the connection that works, nil for none.
func (k *keeper) current() *session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session
}

// within returns when ask does, or when its time is up: a full pipe may hold ask back.
func within[T any](ctx context.Context, clock agent.Clock, limit time.Duration, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := agent.WithTimeout(ctx, clock, limit, context.DeadlineExceeded)
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := ask(ctx)
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func (k *keeper) prompts(ctx context.Context) ([]agent.ServerPrompt, error) {
	open := k.current()
	if open == nil {
		return nil, errGone
	}
	var list []agent.ServerPrompt
	for p, err := range open.Prompts(ctx, nil) {
		if err != nil {
			return list, err
		}
		if prompt, ok := k.shown(p); ok {
			list = append(list, prompt)
		}
		if len(list) == maxPrompts {
			break
		}
	}
	return list, nil
}

// shown is a prompt as people see it; ok is false for one that says too much.
func (k *keeper) shown(p *mcp.Prompt) (prompt agent.ServerPrompt, ok bool) {
	if p == nil || p.Name == "" || len(p.Name) > maxLabel || len(p.Arguments) > maxPromptArg {
		return prompt, false
	}
	prompt = agent.ServerPrompt{
		Server: k.conf.Name, Name: p.Name, Title: k.label(p.Title, maxLabel), Description: k.label(p.Description, maxHelp), Arguments: []agent.PromptArgument{},
	}
	for _, a := range p.Arguments {
		if a == nil || a.Name == "" || len(a.Name) > maxLabel {
			return prompt, false
		}
		prompt.Arguments = append(prompt.Arguments, agent.PromptArgument{
			Name: a.Name, Title: k.label(a.Title, maxLabel), Description: k.label(a.Description, maxHelp), Required: a.Required,
		})
	}
	return prompt, utf8.ValidString(p.Name)
}

func (k *keeper) label(text string, most int) string {
	return agent.Clip(k.secrets.Scrub(printable.Text(strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"))), most)
}

// prompt is the text that a prompt becomes: that of its messages, one below the other.
func (k *keeper) prompt(ctx context.Context, name string, args map[string]string) (string, error) {
	open := k.current()
	if open == nil {
		return "", errGone
	}
	res, err := open.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, m := range res.Messages {
		if m != nil && m.Content != nil {
			parts = append(parts, contentText(m.Content))
		}
	}
	text := printable.Text(strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD"))
	if len(text) > maxPrompt {
		return "", refusal("It has %d bytes; at most %d are taken.", len(text), maxPrompt)
	}
	return k.secrets.Scrub(text), nil
}
