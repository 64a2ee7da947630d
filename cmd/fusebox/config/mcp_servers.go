package config

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fusebox/agent/tools/mcp"
)

// serverTable is one [[mcp.servers]].
type serverTable struct {
	sourceTable
	Command   []string             `toml:"command"`
	URL       string               `toml:"url"`
	Transport string               `toml:"transport"`
	Headers   map[string]string    `toml:"headers"`
	Tools     map[string]toolTable `toml:"tools"`
	Review    bool                 `toml:"review"`
	Enabled   *bool                `toml:"enabled"`
}

// server checks one table; problem begins with the key that is wrong.
func (t serverTable) server(env map[string]string) (s mcp.Server, problem string) {
	s = mcp.Server{
		Name: t.Name, Command: t.Command, URL: t.URL, Transport: t.transport(), Read: t.Read, Write: t.Write, Network: t.Network,
		Review: t.Review, Off: t.Enabled != nil && !*t.Enabled,
	}
	if problem = t.check(); problem != "" {
		return s, problem
	}
	if problem = t.checkTransport(s.Transport); problem != "" {
		return s, problem
	}
	s.Effect, s.Timeout, s.Roles = t.effect(), t.timeout(), t.roles()
	if s.Tools, problem = judged(t.Tools); problem != "" {
		return s, problem
	}
	for name, own := range s.Tools {
		own.Effect = cmp.Or(own.Effect, s.Effect)
		s.Tools[name] = own
	}
	if s.Env, problem = references("env", t.Env, env); problem != "" {
		return s, problem
	}
	s.Headers, problem = references("headers", t.Headers, env)
	return s, problem
}

// transport is the one that is meant.
func (t serverTable) transport() string {
	switch {
	case t.Transport != "":
		return t.Transport
	case t.URL == "":
		return mcp.Stdio
	case strings.HasSuffix(strings.TrimSuffix(t.URL, "/"), "/sse"):
		return mcp.SSE
	default:
		return mcp.HTTP
	}
}

func (t serverTable) checkTransport(transport string) string {
	u, err := url.Parse(t.URL)
	switch {
	case !slices.Contains(mcp.Transports, transport):
		return fmt.Sprintf("transport = %q is not allowed; allowed: %s", transport, strings.Join(mcp.Transports, ", "))
	case transport == mcp.Stdio && (len(t.Command) == 0 || t.Command[0] == ""):
		return "command is missing; it is the program of a server over stdio with its arguments, such as [\"mcp-server-filesystem\", \"/srv/shared\"]"
	case transport == mcp.Stdio && t.URL != "":
		return "url is not for a server over stdio; name either a command or a url"
	case transport == mcp.Stdio && len(t.Headers) > 0:
		return "headers are not for a server over stdio"
	case transport != mcp.Stdio && (len(t.Command) > 0 || len(t.Env) > 0):
		return "command and env are for servers over stdio; name either a command or a url"
	case transport != mcp.Stdio && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return "url is not an http or https URL, such as http://127.0.0.1:3001/mcp"
	}
	return ""
}
