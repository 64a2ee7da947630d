package config

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"fusebox/agent/tools/discovery"
	"fusebox/agent/tools/mcp"
	"fusebox/agent/tools/openapi"
)

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
	_, isURL := WebURL(t.URL)
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
	case transport != mcp.Stdio && !isURL:
		return "url is not an http or https URL, such as http://127.0.0.1:3001/mcp"
	}
	return ""
}

type openAPITable struct {
	Name     string               `toml:"name"`
	Document string               `toml:"document"`
	URL      string               `toml:"url"`
	Headers  map[string]string    `toml:"headers"`
	Effect   string               `toml:"effect"`
	Tools    map[string]toolTable `toml:"tools"`
	Roles    []string             `toml:"roles"`
	Timeout  string               `toml:"timeout"`
	Review   bool                 `toml:"review"`
	Enabled  *bool                `toml:"enabled"`
}

func (t openAPITable) name() string { return t.Name }

// source checks one table; problem begins with the key that is wrong.
func (t openAPITable) source(env map[string]string) (s openapi.Source, problem string) {
	common := sourceTable{Name: t.Name, Effect: t.Effect, Roles: t.Roles, Timeout: t.Timeout}
	s = openapi.Source{Name: t.Name, Document: t.Document, URL: t.URL, Review: t.Review, Off: t.Enabled != nil && !*t.Enabled}
	if problem = common.check(); problem != "" {
		return s, problem
	}
	u, err := url.Parse(t.URL)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return s, "url is not an http or https URL, such as https://desk.example.org/api/v1; it is the base address of all operations"
	case u.User != nil:
		return s, "url has a user or a password; put it into headers, as a reference such as $MY_KEY"
	case u.RawQuery != "" || u.Fragment != "":
		return s, "url has a ? or a #; it is the base address of all operations"
	}
	s.Effect, s.Timeout, s.Roles = common.effect(), common.timeout(), common.roles()
	if s.Tools, problem = judged(t.Tools); problem != "" {
		return s, problem
	}
	if s.Headers, problem = references("headers", t.Headers, env); problem != "" {
		return s, problem
	}
	for name, value := range s.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return s, "headers." + name + " cannot be sent; its name or the value of its variable has characters that headers must not have"
		}
	}
	return s, ""
}

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
