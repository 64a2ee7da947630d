package tools

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"fusebox/agent"
	"fusebox/agent/schema"
)

// catalog is what tools there are. Those of a source from outside come and go while runs
// use the others: each change makes a new offer.
type catalog struct {
	mu      sync.Mutex
	sources []source // in the order in which they first had tools; belongs to mu
	current atomic.Pointer[offer]
}

// source is where tools come from; the built-in ones have no name.
type source struct {
	name  string
	tools []entry
}

// entry is one tool, ready for use.
type entry struct {
	tool   Tool
	spec   agent.ToolSpec
	schema *schema.Schema
}

// offer is what tools there are at one moment.
type offer struct {
	specs  []agent.ToolSpec
	byName map[string]entry
}

// Refused is a tool that was not taken, and why.
type Refused struct{ Name, Why string }

// Reserve keeps the places of sources in the order in which they are configured, so that
// the list of tools does not depend on which of them comes up first.
func (l *catalog) Reserve(names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range names {
		l.sources = append(l.sources, source{name: name})
	}
}

// Replace puts tools in the place of all that a source had before. It refuses tools whose
// name is taken by an earlier source or whose schema cannot be used.
func (l *catalog) Replace(name string, tools []Tool) []Refused {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.sources, func(s source) bool { return s.name == name })
	if i < 0 {
		i = len(l.sources)
		l.sources = append(l.sources, source{name: name})
	}
	taken, refused := prepare(tools)
	l.sources[i].tools = taken
	c := &offer{byName: map[string]entry{}}
	for at, s := range l.sources {
		for _, e := range s.tools {
			if _, double := c.byName[e.spec.Name]; !double {
				c.byName[e.spec.Name] = e
				c.specs = append(c.specs, e.spec)
			} else if at == i {
				refused = append(refused, Refused{e.spec.Name, "its name is taken by another tool"})
			}
		}
	}
	l.current.Store(c)
	return refused
}

// prepare mends and compiles the schemas of tools.
func prepare(tools []Tool) (taken []entry, refused []Refused) {
	for _, t := range tools {
		e, err := prepareOne(t)
		if err != nil {
			refused = append(refused, Refused{e.spec.Name, fmt.Sprintf("its schema cannot be used: %v", err)})
			continue
		}
		taken = append(taken, e)
	}
	return taken, refused
}

// prepareOne checks arguments against the whole schema of a tool, and offers what every
// endpoint can read of it.
func prepareOne(t Tool) (e entry, err error) {
	e = entry{tool: t, spec: t.Spec()}
	whole, err := schema.Mend(e.spec.Parameters)
	if err != nil {
		return e, err
	}
	if e.schema, err = schema.Compile(e.spec.Name, whole); err != nil {
		return e, err
	}
	e.spec.Parameters, err = schema.Plain(whole)
	return e, err
}

func (l *catalog) find(name string) (entry, bool) {
	e, ok := l.current.Load().byName[name]
	return e, ok
}

// Specs implements agent.Toolbox.
func (l *catalog) Specs() []agent.ToolSpec { return slices.Clone(l.current.Load().specs) }

// Lookup implements agent.Toolbox.
func (l *catalog) Lookup(name string) (agent.ToolSpec, bool) {
	e, ok := l.find(name)
	return e.spec, ok
}
