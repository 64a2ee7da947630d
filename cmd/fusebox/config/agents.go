package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"fusebox/agent"
)

const (
	agentsKey  = "agents"
	agentKeys  = "purpose, instructions, model, tools, knowledge, mode, limits"
	agentLimit = "max_steps, max_duration, tokens, cost_micros"
)

// agentTable is one [agents.NAME] of the configuration file.
type agentTable struct {
	Purpose      string   `toml:"purpose"`
	Instructions string   `toml:"instructions"`
	Model        string   `toml:"model"`
	Tools        []string `toml:"tools"`
	Knowledge    []string `toml:"knowledge"`
	Mode         string   `toml:"mode"`
	Limits       struct {
		MaxSteps    int    `toml:"max_steps"`
		MaxDuration string `toml:"max_duration"`
		Tokens      int64  `toml:"tokens"`
		CostMicros  int64  `toml:"cost_micros"`
	} `toml:"limits"`
}

func (f fileValues) agents() ([]agent.Agent, error) {
	found, err := tablesByName[agentTable](f, agentsKey, agent.MaxAgents, agentKeys+"; in its limits: "+agentLimit)
	if err != nil {
		return nil, err
	}
	var all []agent.Agent
	for _, name := range slices.Sorted(maps.Keys(found)) {
		a, problem := found[name].agent(name)
		if problem != "" {
			return nil, Errorf("config file %s, [%s.%s] %s", f.path, agentsKey, agent.Clip(name, 50), problem)
		}
		all = append(all, a)
	}
	return all, nil
}

// tablesByName reads the tables [key.NAME], at most so many; allowed are their keys.
func tablesByName[T any](f fileValues, key string, most int, allowed string) (map[string]T, error) {
	var file map[string]toml.Primitive
	meta, err := toml.Decode(f.text, &file)
	var all map[string]T
	if value, ok := file[key]; ok && err == nil {
		err = meta.PrimitiveDecode(value, &all)
	}
	if err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, Errorf("config file %s, line %d, key %s: %s", f.path, at.Position.Line, at.LastKey, at.Message)
		}
		return nil, Errorf("config file %s, [%s.NAME]: %v", f.path, key, err)
	}
	for k := range f.values {
		if strings.HasPrefix(k, key+".") {
			f.used[k] = true
		}
	}
	for _, k := range meta.Undecoded() {
		if k[0] == key {
			return nil, Errorf("config file %s: unknown key %s; allowed in [%s.NAME]: %s", f.path, k, key, allowed)
		}
	}
	if n := len(all); n > most {
		return nil, Errorf("config file %s, key %s: has %d tables; at most %d are allowed", f.path, key, n, most)
	}
	return all, nil
}

// agentFields are the fields of agents as the file names them.
var agentFields = strings.NewReplacer("limits.steps:", "limits.max_steps:", "limits.durationMs:", "limits.max_duration:", "limits.costMicros:", "limits.cost_micros:")

// agent checks one table; problem begins with the key that is wrong.
func (t agentTable) agent(name string) (a agent.Agent, problem string) {
	a = agent.Agent{
		Name: name, Purpose: strings.Join(strings.Fields(t.Purpose), " "), Instructions: strings.TrimSpace(t.Instructions),
		Model: t.Model, Tools: t.Tools, Knowledge: t.Knowledge, Mode: agent.ApprovalMode(t.Mode),
		Limits: agent.AgentLimits{Steps: t.Limits.MaxSteps, Tokens: t.Limits.Tokens, CostMicros: t.Limits.CostMicros},
	}
	if text := t.Limits.MaxDuration; text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Second {
			return a, fmt.Sprintf(`limits.max_duration = %q is not allowed; allowed: a duration from 1s on, such as "10m"`, text)
		}
		a.Limits.DurationMS = d.Milliseconds()
	}
	return a, agentFields.Replace(FieldProblem(a.Check()))
}
