package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// seed takes over, at start, what the configuration says and the program ships. What is not
// in the configuration any more is deleted. What is shipped is left alone where somebody has
// changed or deleted it.
func (d definitions[T]) seed(ctx context.Context, c *core, configured, shipped []T) error {
	ctx = agent.WithViewer(ctx, agent.Viewer{Email: agent.System})
	return c.db.Write(ctx, true, func(t *sqlite.Tx) error {
		have, err := d.last(t)
		if err != nil {
			return err
		}
		inFile := map[string]bool{}
		for _, def := range configured {
			name := *d.head(&def).name
			inFile[name] = true
			was := have[name]
			if !was.gone && was.source == agent.AgentConfigured && was.def.SameAs(def) {
				continue
			}
			if err := d.become(ctx, t, was, def, agent.AgentConfigured); err != nil {
				return err
			}
		}
		for _, def := range shipped {
			name := *d.head(&def).name
			was, known := have[name]
			if inFile[name] || known && (was.gone || was.source != agent.AgentShipped || was.def.SameAs(def)) {
				continue
			}
			if err := d.become(ctx, t, was, def, agent.AgentShipped); err != nil {
				return err
			}
		}
		for name, was := range have {
			if was.source == agent.AgentConfigured && !was.gone && !inFile[name] {
				if err := d.end(ctx, t, was.def); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// lastVersion is the newest version of a definition, and whether it was deleted; the zero
// value is of a name that was never used.
type lastVersion[T any] struct {
	def    T
	source agent.AgentSource
	gone   bool
}

func (d definitions[T]) last(t *sqlite.Tx) (map[string]lastVersion[T], error) {
	all := map[string]lastVersion[T]{}
	err := t.Each(func(r sqlite.Scanner) error {
		var gone bool
		def, err := d.scan(beside{r, []any{&gone}})
		h := d.head(&def)
		all[*h.name] = lastVersion[T]{def, *h.source, gone}
		return err
	}, d.newest(`, a.deleted`))
	return all, err
}

// become stores a definition as the version that follows.
func (d definitions[T]) become(ctx context.Context, t *sqlite.Tx, was lastVersion[T], def T, source agent.AgentSource) error {
	*d.head(&def).source = source
	if was.source == "" || was.gone {
		return d.add(ctx, t, d.created, &def)
	}
	return d.add(ctx, t, d.updated, &def)
}
