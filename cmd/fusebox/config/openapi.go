package config

import (
	"net/url"

	"golang.org/x/net/http/httpguts"

	"fusebox/agent/tools/openapi"
)

// openAPITable is one [[tools.openapi]].
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
	if problem = t.checkURL(); problem != "" {
		return s, problem
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

func (t openAPITable) checkURL() string {
	u, err := url.Parse(t.URL)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return "url is not an http or https URL, such as https://desk.example.org/api/v1; it is the base address of all operations"
	case u.User != nil:
		return "url has a user or a password; put it into headers, as a reference such as $MY_KEY"
	case u.RawQuery != "" || u.Fragment != "":
		return "url has a ? or a #; it is the base address of all operations"
	}
	return ""
}
