package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/tools"
	"fusebox/agent/tools/sandboxed"
)

// Source is one configured pair of commands.
type Source struct {
	Name string
	// Discover prints the tools, Call runs one of them.
	Discover, Call []string
	Env            map[string]string
	Read, Write    []string
	Network        bool
	// Effect is that of tools that declare none.
	Effect agent.Effect
	Roles  []agent.Role
	// Timeout bounds each call.
	Timeout time.Duration
}

// Options are what sources need of the outside.
type Options struct {
	Sources []Source
	Host    sandboxed.Host
	// Tools takes what the commands offer.
	Tools *tools.Registry
	// Asked is called once each command has been asked, whatever it has answered.
	Asked func()
	Log   *slog.Logger
}

// Bounds of discovery.
const (
	discoverTime = 30 * time.Second
	firstPause   = time.Second
	longestPause = time.Minute
	maxPrinted   = 4 << 20
	maxTools     = 500
)

// Run finds out which tools there are. A command that fails is asked again, until ctx ends.
func Run(ctx context.Context, o Options) {
	var all, first sync.WaitGroup
	for _, s := range o.Sources {
		first.Add(1)
		asked := sync.OnceFunc(first.Done)
		all.Go(func() {
			for pause := firstPause; ; pause = min(pause*2, longestPause) {
				err := offer(ctx, o, s)
				asked()
				if err == nil || ctx.Err() != nil {
					return
				}
				o.Log.Warn("asking a command for its tools failed", "command", s.Name, "error", err, "again_in", pause)
				timer := time.NewTimer(pause)
				select {
				case <-ctx.Done():
					timer.Stop()
					return
				case <-timer.C:
				}
			}
		})
	}
	first.Wait()
	o.Asked()
	all.Wait()
}

// offer asks a command for its tools and puts them where they may be called from.
func offer(ctx context.Context, o Options, s Source) error {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	found, err := discover(ctx, o.Host, s)
	if err != nil {
		return err
	}
	var list []tools.Tool
	for _, d := range found {
		list = append(list, tool{source: s, host: o.Host, walls: o.Tools.Walls(), spec: s.spec(d)})
	}
	for _, r := range o.Tools.Replace(s.source(), list) {
		o.Log.Warn("a tool of a command is left out", "command", s.Name, "tool", r.Name, "because", r.Why)
	}
	o.Log.Info("tools of a command are ready", "command", s.Name, "tools", len(list))
	return nil
}

// declared is what a command prints of one tool.
type declared struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Effect      agent.Effect    `json:"effect"`
}

// discover runs the command that prints the tools.
func discover(ctx context.Context, host sandboxed.Host, s Source) ([]declared, error) {
	out, err := run(ctx, host, s, s.Discover, nil, call{limit: maxPrinted})
	if err != nil {
		return nil, err
	}
	if out.failed != "" {
		return nil, errors.New(out.failed)
	}
	var found []declared
	if err := json.Unmarshal([]byte(out.text), &found); err != nil {
		return nil, fmt.Errorf("it printed no JSON array of tools: %w", err)
	}
	if len(found) > maxTools {
		return nil, fmt.Errorf("it printed %d tools; at most %d are allowed", len(found), maxTools)
	}
	for i := range found {
		if why := found[i].check(); why != "" {
			return nil, fmt.Errorf("tool %d: %s", i+1, why)
		}
	}
	return found, nil
}

// plainName is what models' endpoints take.
var plainName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// effects are those that a declaration may name, or not.
var effects = []agent.Effect{"", agent.EffectRead, agent.EffectWrite, agent.EffectExec, agent.EffectNetwork, agent.EffectUnknown}

// check says what is wrong with a declaration, "" for nothing.
func (d *declared) check() string {
	if len(d.Parameters) == 0 || string(d.Parameters) == "null" {
		d.Parameters = json.RawMessage(`{"type":"object"}`)
	}
	switch {
	case !plainName.MatchString(d.Name):
		return fmt.Sprintf("the name %q is not allowed; allowed: up to 64 letters, digits, - and _", agent.Clip(d.Name, 80))
	case strings.Contains(d.Name, agent.SourceSeparator):
		return fmt.Sprintf("the name %q is not allowed: __ is for the tools of MCP servers", d.Name)
	case !strings.HasPrefix(strings.TrimSpace(string(d.Parameters)), "{"):
		return fmt.Sprintf("the parameters of %s are not an object", d.Name)
	case !slices.Contains(effects, d.Effect):
		return fmt.Sprintf("the effect %q of %s is not known; allowed: read, write, exec, network, unknown", agent.Clip(string(d.Effect), 40), d.Name)
	}
	return ""
}

// source is how tools name where they come from.
func (s Source) source() string { return "command:" + s.Name }

func (s Source) spec(d declared) agent.ToolSpec {
	known := agent.KnownTool{Source: s.source(), Name: d.Name, Description: strings.TrimSpace(d.Description), Parameters: d.Parameters}
	spec := agent.ToolSpec{
		Name: d.Name, Description: known.Description, Parameters: d.Parameters, Source: known.Source, Fingerprint: known.Fingerprint(),
		Effect: s.Effect, Roles: s.Roles, Timeout: s.Timeout,
	}
	if d.Effect != "" {
		spec.Effect = d.Effect
	}
	spec.Risk = spec.Effect.UsualRisk()
	return spec
}

func (s Source) program(args []string) sandboxed.Program {
	return sandboxed.Program{Name: s.Name, Args: args, Env: s.Env, Read: s.Read, Write: s.Write, Network: s.Network}
}
