package accepted

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"fusebox/agent"
)

// Memory is where accepted tools are kept.
type Memory interface {
	// KnownTools are those of a source, by the names that it has for them.
	KnownTools(ctx context.Context, source string) (map[string]agent.KnownTool, error)
	// AcceptTools stores tools as they are now, under the viewer of the context.
	AcceptTools(ctx context.Context, source string, accepted []agent.KnownTool) error
}

// Instructions is the name under which a source's instructions are kept among its tools,
// so that they are accepted in the same way. No tool has this name.
const Instructions = ""

// Tool is one tool as its source has it.
type Tool struct {
	Now  agent.KnownTool
	Was  *agent.KnownTool // as accepted, nil for a new one
	Held bool             // held back
}

// List are the tools of a source.
type List []Tool

// Recall is what was accepted before, by name.
func Recall(ctx context.Context, memory Memory, source string) (List, error) {
	before, err := memory.KnownTools(ctx, source)
	if err != nil {
		return nil, err
	}
	var l List
	for _, was := range before {
		l = append(l, Tool{Now: was, Was: &was})
	}
	slices.SortFunc(l, func(a, b Tool) int { return strings.Compare(a.Now.Name, b.Now.Name) })
	return l, nil
}

// Compare holds back the tools that have changed. New ones are accepted as they are,
// unless review is set.
func Compare(ctx context.Context, memory Memory, source string, now []agent.KnownTool, review bool) (List, error) {
	before, err := memory.KnownTools(ctx, source)
	if err != nil {
		return nil, err
	}
	var l List
	var fresh []agent.KnownTool
	for _, tool := range now {
		next := Tool{Now: tool, Held: review}
		if was, old := before[tool.Name]; old {
			next.Was, next.Held = &was, was.Fingerprint() != tool.Fingerprint()
		} else if !review {
			fresh = append(fresh, tool)
		}
		l = append(l, next)
	}
	if len(fresh) == 0 {
		return l, nil
	}
	return l, memory.AcceptTools(ctx, source, fresh)
}

// Says are the instructions that are not held back, "" for none.
func (l List) Says() string {
	for _, t := range l {
		if t.Now.Name == Instructions && !t.Held {
			return t.Now.Description
		}
	}
	return ""
}

// Held is how many tools are held back.
func (l List) Held() (n int) {
	for _, t := range l {
		if t.Held {
			n++
		}
	}
	return n
}

// Seen identifies what is being held back, or "" if nothing is.
func (l List) Seen() string {
	if l.Held() == 0 {
		return ""
	}
	var prints []string
	for _, t := range l {
		if t.Held {
			prints = append(prints, t.Now.Fingerprint())
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(prints, ",")))
	return hex.EncodeToString(sum[:8])
}

// Acceptance is what an admin accepts of a source.
type Acceptance struct {
	Memory Memory
	Clock  agent.Clock
	// Source is as in ToolSpec, Name how people call it.
	Source, Name string
	// Seen is what the admin was shown, "" for whatever is held back.
	Seen string
}

// Accept returns the list with everything accepted that was held back. Conflict if that is nothing, or
// not what was seen.
func (l List) Accept(ctx context.Context, a Acceptance) (List, error) {
	if a.Seen != "" && a.Seen != l.Seen() {
		return nil, agent.Errorf(agent.Conflict, "The tools of %s have changed again. Look at them once more.", a.Name)
	}
	next := slices.Clone(l)
	var taken []agent.KnownTool
	for i := range next {
		if t := &next[i]; t.Held {
			t.Now.AcceptedAt = agent.Stamp(a.Clock)
			t.Held, t.Was = false, nil
			taken = append(taken, t.Now)
		}
	}
	if len(taken) == 0 {
		return nil, agent.Errorf(agent.Conflict, "Nothing of %s is held back.", a.Name)
	}
	return next, a.Memory.AcceptTools(ctx, a.Source, taken)
}

// View is the list as people see it; name makes the names under which the tools are
// offered, and that of the instructions.
func (l List) View(name func(string) string) []agent.ServerTool {
	shown := []agent.ServerTool{}
	for _, t := range l {
		tool := agent.ServerTool{Name: name(t.Now.Name), Description: t.Now.Description, Held: t.Held, Instructions: t.Now.Name == Instructions}
		if t.Held {
			tool.Parameters, tool.Claims, tool.Was = t.Now.Parameters, t.Now.Claims, t.Was
		}
		shown = append(shown, tool)
	}
	return shown
}

// Judged is an admin's verdict on a tool from outside; "" leaves it to the source.
type Judged struct {
	Effect agent.Effect
	Risk   agent.Risk
}
