package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/tools"
)

// Memory is where accepted tools are kept.
type Memory interface {
	// KnownTools are those of a source, by the names that it has for them.
	KnownTools(ctx context.Context, source string) (map[string]agent.KnownTool, error)
	// AcceptTools stores tools as they are now, under the viewer of the context.
	AcceptTools(ctx context.Context, source string, accepted []agent.KnownTool) error
}

// offers is where tools are put that may be called.
type offers interface {
	Replace(source string, list []tools.Tool) []tools.Refused
}

// maxSchema and maxText bound what a tool says of itself.
const (
	maxSchema = 64 << 10
	maxText   = 16 << 10
)

// listed is one tool as the server has it.
type listed struct {
	name   string // the server's
	now    agent.KnownTool
	was    *agent.KnownTool // as accepted, nil for a new one
	hidden bool             // held back
}

// listing is what a server offers.
type listing struct {
	tools   []listed
	reads   bool // resources can be read
	refused []string
}

func (l listing) held() (n int) {
	for _, t := range l.tools {
		if t.hidden {
			n++
		}
	}
	return n
}

// seen names what is held back.
func (l listing) seen() string {
	if l.held() == 0 {
		return ""
	}
	var prints []string
	for _, t := range l.tools {
		if t.hidden {
			prints = append(prints, t.now.Fingerprint())
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(prints, ",")))
	return hex.EncodeToString(sum[:8])
}

// look asks what the server offers and puts it where it may be called from. What it has
// never shown before is taken as it is, unless the server's entry wants a review; what has
// changed is held back.
func (k *keeper) look(ctx context.Context, s *session) error {
	k.judging.Lock()
	defer k.judging.Unlock()
	all, err := s.list(ctx)
	if err != nil {
		return err
	}
	known, err := k.memory.KnownTools(ctx, k.conf.source())
	if err != nil {
		return err
	}
	next := listing{reads: s.hasResources()}
	var fresh []agent.KnownTool
	for _, tool := range all {
		l, why := k.read(tool)
		if why != "" {
			next.refused = append(next.refused, fmt.Sprintf("%q is left out: %s", agent.Clip(tool.Name, 80), why))
			continue
		}
		if was, old := known[l.name]; old {
			l.was, l.hidden = &was, was.Fingerprint() != l.now.Fingerprint()
		} else if l.hidden = k.conf.Review; !l.hidden {
			fresh = append(fresh, l.now)
		}
		next.tools = append(next.tools, l)
	}
	if len(fresh) > 0 {
		if err := k.memory.AcceptTools(ctx, k.conf.source(), fresh); err != nil {
			return err
		}
	}
	k.offer(next)
	return nil
}

// read checks what a server says of a tool.
func (k *keeper) read(tool *mcp.Tool) (l listed, why string) {
	schema, err := json.Marshal(tool.InputSchema)
	var claims json.RawMessage
	if tool.Annotations != nil && err == nil {
		claims, err = json.Marshal(tool.Annotations)
	}
	switch {
	case err != nil || !strings.HasPrefix(string(schema), "{"):
		return l, "its schema is not an object"
	case len(schema) > maxSchema:
		return l, fmt.Sprintf("its schema is longer than %d bytes", maxSchema)
	case len(tool.Description)+len(claims) > maxText:
		return l, fmt.Sprintf("its description is longer than %d bytes", maxText)
	}
	return listed{name: tool.Name, now: agent.KnownTool{
		Source: k.conf.source(), Name: tool.Name, Description: strings.ToValidUTF8(strings.TrimSpace(tool.Description), "\uFFFD"),
		Parameters: schema, Claims: claims, AcceptedAt: agent.Stamp(k.clock),
	}}, ""
}

// offer puts what is not held back where it may be called from.
func (k *keeper) offer(next listing) {
	var list []tools.Tool
	for _, t := range next.tools {
		if !t.hidden {
			list = append(list, k.tool(t))
		}
	}
	if own := (readResource{k}); next.reads && !slices.ContainsFunc(next.tools, func(t listed) bool { return t.name == readName }) {
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
	known, err := k.memory.KnownTools(ctx, k.conf.source())
	if err != nil {
		return err
	}
	var l listing
	for name, was := range known {
		l.tools = append(l.tools, listed{name: name, now: was, was: &was})
	}
	slices.SortFunc(l.tools, func(a, b listed) int { return strings.Compare(a.name, b.name) })
	k.offer(l)
	return nil
}

// accept takes what is held back. seen is what the admin was shown, "" for whatever it is.
func (k *keeper) accept(ctx context.Context, seen string) error {
	k.judging.Lock()
	defer k.judging.Unlock()
	k.mu.Lock()
	next := k.listing
	k.mu.Unlock()
	if seen != "" && seen != next.seen() {
		return agent.Errorf(agent.Conflict, "The tools of %s have changed again. Look at them once more.", k.conf.Name)
	}
	next.tools = slices.Clone(next.tools)
	var accepted []agent.KnownTool
	for i := range next.tools {
		if t := &next.tools[i]; t.hidden {
			t.now.AcceptedAt = agent.Stamp(k.clock)
			t.hidden, t.was = false, nil
			accepted = append(accepted, t.now)
		}
	}
	if len(accepted) == 0 {
		return agent.Errorf(agent.Conflict, "Nothing of %s is held back.", k.conf.Name)
	}
	if err := k.memory.AcceptTools(ctx, k.conf.source(), accepted); err != nil {
		return err
	}
	k.offer(next)
	return nil
}
