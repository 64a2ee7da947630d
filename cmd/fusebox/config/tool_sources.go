package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"fusebox/agent"
	"fusebox/agent/tools/accepted"
	"fusebox/agent/tools/discovery"
	"fusebox/agent/tools/limits"
	"fusebox/agent/tools/mcp"
	"fusebox/agent/tools/openapi"
)

// The keys of tools from outside.
const (
	serversKey  = "mcp.servers"
	commandsKey = "tools.commands"
	openAPIKey  = "tools.openapi"
	limitsKey   = "tools.limits"
)

// sourceTable has the keys that all kinds of entries share.
type sourceTable struct {
	Name    string            `toml:"name"`
	Env     map[string]string `toml:"env"`
	Effect  string            `toml:"effect"`
	Roles   []string          `toml:"roles"`
	Timeout string            `toml:"timeout"`
	Read    []string          `toml:"read"`
	Write   []string          `toml:"write"`
	Network bool              `toml:"network"`
}

// toolTable is what an admin says of one tool of a server.
type toolTable struct {
	Effect string `toml:"effect"`
	Risk   string `toml:"risk"`
}

const (
	commonKeys  = "name, env, effect, roles, timeout, read, write, network"
	serverKeys  = commonKeys + ", command, url, transport, headers, tools, review, enabled"
	commandKeys = commonKeys + ", discover, call"
	openAPIKeys = "name, document, url, headers, effect, tools, roles, timeout, review, enabled"
)

// ToolSources are the sources of tools that are not built in, and the limits on all tools.
type ToolSources struct {
	Servers  []mcp.Server
	Commands []discovery.Source
	OpenAPI  []openapi.Source
	Limits   []limits.Limit
}

type sourceTables struct {
	MCP struct {
		Servers []serverTable `toml:"servers"`
	} `toml:"mcp"`
	Tools struct {
		Commands []commandTable `toml:"commands"`
		OpenAPI  []openAPITable `toml:"openapi"`
		Limits   []limitTable   `toml:"limits"`
	} `toml:"tools"`
}

func (f fileValues) toolSources(env map[string]string) (found ToolSources, err error) {
	some := false
	for _, key := range []string{serversKey, commandsKey, openAPIKey, limitsKey} {
		raw, set := f.values[key]
		if !set {
			continue
		}
		f.used[key], some = true, true
		if _, ok := tablesOf(raw); !ok {
			return found, Errorf("config file %s, key %s: %v is not allowed; allowed: tables [[%s]]", f.path, key, raw, key)
		}
	}
	if !some {
		return found, nil
	}
	var file sourceTables
	if err := f.decode(&file); err != nil {
		return found, err
	}
	taken := map[string]bool{}
	if found.Servers, err = checked(f, serversKey, file.MCP.Servers, taken, env, serverTable.server); err != nil {
		return found, err
	}
	if found.Commands, err = checked(f, commandsKey, file.Tools.Commands, taken, env, commandTable.source); err != nil {
		return found, err
	}
	if found.OpenAPI, err = checked(f, openAPIKey, file.Tools.OpenAPI, taken, env, openAPITable.source); err != nil {
		return found, err
	}
	found.Limits, err = checked(f, limitsKey, file.Tools.Limits, map[string]bool{}, env, limitTable.limit)
	return found, err
}

type named interface{ name() string }

// checked checks the tables of one key; read says what is wrong with one, beginning with the
// key that is wrong.
func checked[T named, S any](f fileValues, key string, tables []T, taken map[string]bool, env map[string]string, read func(T, map[string]string) (S, string)) (list []S, err error) {
	for i, t := range tables {
		s, problem := read(t, env)
		if problem == "" && taken[t.name()] {
			problem = fmt.Sprintf("name = %q is already taken; names must be unique", t.name())
		}
		if problem != "" {
			return nil, Errorf("config file %s, %s[%d].%s", f.path, key, i, problem)
		}
		taken[t.name()] = true
		list = append(list, s)
	}
	return list, nil
}

// decode reads the tables of tools from outside, and refuses keys that they do not have.
func (f fileValues) decode(into any) error {
	meta, err := toml.Decode(f.text, into)
	if err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return Errorf("config file %s, line %d, key %s: %s", f.path, at.Position.Line, at.LastKey, at.Message)
		}
		return Errorf("config file %s: %v", f.path, err)
	}
	for _, k := range meta.Undecoded() {
		switch name := k.String(); {
		case strings.HasPrefix(name, serversKey+"."):
			return Errorf("config file %s: unknown key %s; allowed in [[%s]]: %s; in its tools: effect, risk", f.path, name, serversKey, serverKeys)
		case strings.HasPrefix(name, commandsKey+"."):
			return Errorf("config file %s: unknown key %s; allowed in [[%s]]: %s", f.path, name, commandsKey, commandKeys)
		case strings.HasPrefix(name, openAPIKey+"."):
			return Errorf("config file %s: unknown key %s; allowed in [[%s]]: %s; in its tools: effect, risk", f.path, name, openAPIKey, openAPIKeys)
		case strings.HasPrefix(name, limitsKey+"."):
			return Errorf("config file %s: unknown key %s; allowed in [[%s]]: %s", f.path, name, limitsKey, limitKeys)
		}
	}
	return nil
}

func judged(tables map[string]toolTable) (map[string]accepted.Judged, string) {
	all := map[string]accepted.Judged{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		own := tables[name]
		if own.Effect != "" && !slices.Contains(effects, own.Effect) {
			return nil, fmt.Sprintf("tools.%s.effect = %q is not allowed; allowed: %s", name, own.Effect, strings.Join(effects, ", "))
		}
		if own.Risk != "" && !agent.Risk(own.Risk).AtMost(agent.RiskCritical) {
			return nil, fmt.Sprintf("tools.%s.risk = %q is not allowed; allowed: low, medium, high, critical", name, own.Risk)
		}
		all[name] = accepted.Judged{Effect: agent.Effect(own.Effect), Risk: agent.Risk(own.Risk)}
	}
	return all, ""
}

// sourceName is what may stand before the __ of a tool's name.
var sourceName = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,30}[a-z0-9])?$`)

var effects = []string{string(agent.EffectUnknown), string(agent.EffectRead), string(agent.EffectWrite), string(agent.EffectExec), string(agent.EffectNetwork)}

// maxToolTimeout bounds the calls of tools from outside.
const maxToolTimeout = 24 * time.Hour

// check says what is wrong with what entries of both kinds have.
func (t sourceTable) check() string {
	if !sourceName.MatchString(t.Name) || strings.Contains(t.Name, agent.SourceSeparator) {
		return fmt.Sprintf("name = %q is not allowed; allowed: up to 32 small letters, digits, - and _, with one of the first two at both ends and no __", t.Name)
	}
	if !slices.Contains(effects, string(t.effect())) {
		return fmt.Sprintf("effect = %q is not allowed; allowed: %s", t.Effect, strings.Join(effects, ", "))
	}
	for _, role := range t.Roles {
		if !agent.Role(role).Valid() {
			return fmt.Sprintf("roles = %q is not allowed; allowed: user, reviewer, admin", role)
		}
	}
	if d := t.timeout(); t.Timeout != "" && (d < 10*time.Millisecond || d > maxToolTimeout) {
		return fmt.Sprintf("timeout = %q is not allowed; allowed: a duration from 10ms to 24h", t.Timeout)
	}
	for key, folders := range map[string][]string{"read": t.Read, "write": t.Write} {
		for _, folder := range folders {
			if !strings.HasPrefix(folder, "/") {
				return fmt.Sprintf("%s = %q is not allowed; allowed: absolute paths", key, folder)
			}
		}
	}
	return ""
}

func (t sourceTable) name() string { return t.Name }

func (t sourceTable) effect() agent.Effect {
	return agent.Effect(cmp.Or(t.Effect, string(agent.EffectUnknown)))
}

// timeout is 0 for none, and for what is none.
func (t sourceTable) timeout() time.Duration {
	d, err := time.ParseDuration(t.Timeout)
	if err != nil {
		return 0
	}
	return d
}

func (t sourceTable) roles() (roles []agent.Role) {
	for _, role := range t.Roles {
		roles = append(roles, agent.Role(role))
	}
	return roles
}

// references takes values out of the environment. Nothing else may stand in the file: it
// would be a secret in a file that people share.
func references(key string, values, env map[string]string) (map[string]string, string) {
	taken := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		variable, ok := strings.CutPrefix(values[name], "$")
		if !ok || variable == "" {
			return nil, fmt.Sprintf("%s.%s is not a reference; allowed: the name of an environment variable with a $, such as $MY_KEY", key, name)
		}
		if taken[name], ok = env[variable]; !ok {
			return nil, fmt.Sprintf("%s.%s = %q: the environment variable %s is not set", key, name, values[name], variable)
		}
	}
	return taken, ""
}

const limitKeys = "name, parallel, per_minute"

// maxLimit bounds what a limit can allow: one beyond it is a slip.
const maxLimit = 100_000

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
