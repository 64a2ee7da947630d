package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/tools"
	"fusebox/agent/tools/accepted"
)

// offers is where tools are put that may be called.
type offers interface {
	Replace(source string, list []tools.Tool) []tools.Refused
}

// maxSchema and maxText bound what a tool says of itself.
const (
	maxSchema = 64 << 10
	maxText   = 16 << 10
)

type listing struct {
	tools   accepted.List
	reads   bool // resources can be read
	refused []string
}

// look asks what the server offers and puts it where it may be called from. What it has
// never shown before is taken as it is, unless the server's entry wants a review; what has
// changed is held back.
func (k *keeper) look(ctx context.Context, s *session) error {
	k.judging.Lock()
	defer k.judging.Unlock()
	all, err := k.list(ctx, s)
	if err != nil {
		return err
	}
	next := listing{reads: s.capabilities().Resources != nil}
	var now []agent.KnownTool
	for _, tool := range all {
		t, why := k.read(tool)
		if why != "" {
			next.refused = append(next.refused, fmt.Sprintf("%q is left out: %s", k.label(tool.Name, 80), why))
			continue
		}
		now = append(now, t)
	}
	switch says := s.instructions(); {
	case len(says) > maxText:
		next.refused = append(next.refused, fmt.Sprintf("its instructions are left out: they are longer than %d bytes", maxText))
	case says != "":
		now = append(now, k.instructions(says))
	}
	if next.tools, err = accepted.Compare(ctx, k.memory, k.conf.source(), now, k.conf.Review); err != nil {
		return err
	}
	k.offer(next)
	return nil
}

// read checks what a server says of a tool.
func (k *keeper) read(tool *mcp.Tool) (t agent.KnownTool, why string) {
	schema, err := json.Marshal(tool.InputSchema)
	var claims json.RawMessage
	if tool.Annotations != nil && err == nil {
		claims, err = json.Marshal(tool.Annotations)
	}
	switch {
	case tool.Name == accepted.Instructions:
		return t, "it has no name"
	case err != nil:
		return t, "its schema cannot be read"
	case len(schema) > maxSchema:
		return t, fmt.Sprintf("its schema is longer than %d bytes", maxSchema)
	case len(tool.Description)+len(claims) > maxText:
		return t, fmt.Sprintf("its description is longer than %d bytes", maxText)
	}
	return agent.KnownTool{
		Source: k.conf.source(), Name: tool.Name, Description: strings.ToValidUTF8(strings.TrimSpace(tool.Description), "\uFFFD"),
		Parameters: schema, Claims: claims, AcceptedAt: agent.Stamp(k.clock),
	}, ""
}

// offer puts what is not held back where it may be called from.
func (k *keeper) offer(next listing) {
	var list []tools.Tool
	says := next.tools.Says()
	for _, t := range next.tools {
		if !t.Held && t.Now.Name != accepted.Instructions {
			list = append(list, k.tool(t.Now, says))
		}
	}
	if own := (readResource{k, says}); next.reads && !slices.ContainsFunc(next.tools, func(t accepted.Tool) bool { return t.Now.Name == readName }) {
		list = append(list, own)
	}
	for _, r := range k.offers.Replace(k.conf.source(), list) {
		next.refused = append(next.refused, r.Name+" is left out: "+r.Why)
	}
	k.mu.Lock()
	k.listing = next
	serving := k.session != nil
	k.mu.Unlock()
	if serving {
		k.settle()
	}
}

// recall offers what was accepted before, so that runs find their tools while the server
// is still starting. Its calls wait for it.
func (k *keeper) recall(ctx context.Context) error {
	l, err := accepted.Recall(ctx, k.memory, k.conf.source())
	if err != nil {
		return err
	}
	k.offer(listing{tools: l})
	return nil
}

// accept takes what is held back. seen is what the admin was shown, "" for whatever it is.
func (k *keeper) accept(ctx context.Context, seen string) error {
	k.judging.Lock()
	defer k.judging.Unlock()
	k.mu.Lock()
	next := k.listing
	k.mu.Unlock()
	var err error
	next.tools, err = next.tools.Accept(ctx, accepted.Acceptance{Memory: k.memory, Clock: k.clock, Source: k.conf.source(), Name: k.conf.Name, Seen: seen})
	if err != nil {
		return err
	}
	k.offer(next)
	return nil
}

// instructions are the server's own instructions for its use.
func (s *session) instructions() string {
	return strings.TrimSpace(strings.ToValidUTF8(s.InitializeResult().Instructions, "\uFFFD"))
}

// instructions are listed like a tool.
func (k *keeper) instructions(says string) agent.KnownTool {
	return agent.KnownTool{
		Source: k.conf.source(), Name: accepted.Instructions, Description: says, Parameters: json.RawMessage("{}"), AcceptedAt: agent.Stamp(k.clock),
	}
}
