package config

import (
	"fmt"

	"fusebox/agent/tools/limits"
)

const limitKeys = "name, parallel, per_minute"

// maxLimit bounds what a limit can allow: one beyond it is a slip.
const maxLimit = 100_000

// limitTable is one [[tools.limits]].
type limitTable struct {
	Name      string `toml:"name"`
	Parallel  *int   `toml:"parallel"`
	PerMinute *int   `toml:"per_minute"`
}

func (t limitTable) name() string { return t.Name }

// limit checks one table; problem begins with the key that is wrong.
func (t limitTable) limit(map[string]string) (l limits.Limit, problem string) {
	l.Name = t.Name
	if t.Name == "" {
		return l, `name is missing; allowed: the name of a tool, or of a source, such as "mcp:files"`
	}
	if t.Parallel == nil && t.PerMinute == nil {
		return l, "parallel is missing; set it, per_minute, or both"
	}
	for _, n := range []struct {
		key  string
		set  *int
		into *int
	}{{"parallel", t.Parallel, &l.Parallel}, {"per_minute", t.PerMinute, &l.PerMinute}} {
		switch {
		case n.set == nil:
		case *n.set < 1 || *n.set > maxLimit:
			return l, fmt.Sprintf("%s = %d is not allowed; allowed: 1 to %d", n.key, *n.set, maxLimit)
		default:
			*n.into = *n.set
		}
	}
	return l, ""
}
