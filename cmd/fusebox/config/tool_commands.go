package config

import "fusebox/agent/tools/discovery"

// commandTable is one [[tools.commands]].
type commandTable struct {
	sourceTable
	Discover []string `toml:"discover"`
	Call     []string `toml:"call"`
}

// source checks one table; problem begins with the key that is wrong.
func (t commandTable) source(env map[string]string) (s discovery.Source, problem string) {
	s = discovery.Source{Name: t.Name, Discover: t.Discover, Call: t.Call, Read: t.Read, Write: t.Write, Network: t.Network}
	if problem = t.check(); problem != "" {
		return s, problem
	}
	if len(t.Discover) == 0 || t.Discover[0] == "" {
		return s, "discover is missing; it is the command that prints the tools"
	}
	if len(t.Call) == 0 || t.Call[0] == "" {
		return s, "call is missing; it is the command that runs a tool"
	}
	s.Effect, s.Timeout, s.Roles = t.effect(), t.timeout(), t.roles()
	s.Env, problem = references("env", t.Env, env)
	return s, problem
}
