package config

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent/tools/web"
)

// Web configures how the web is searched, and which hosts may be reached.
type Web struct {
	Provider, URL, KeyEnv string
	Key                   string // the value of the environment variable KeyEnv
	Allow                 []string
}

func webKeys() []key {
	return []key{
		{"web.search_provider", "", strings.Join(web.Providers(), ", ") + ", or empty for no search", func(c *Config, text string) bool {
			c.Web.Provider = text
			return text == "" || slices.Contains(web.Providers(), text)
		}},
		{"web.search_url", "", "an http or https URL, or empty for the service's own", func(c *Config, text string) bool {
			c.Web.URL = text
			u, ok := WebURL(text)
			return text == "" || ok && u.User == nil
		}},
		{"web.search_key_env", "", "the name of an environment variable", func(c *Config, text string) bool {
			c.Web.KeyEnv = text
			return !strings.ContainsAny(text, "= \x00")
		}},
		{"web.allow_hosts", "", "a list of host:port, such as intranet.example:443", func(c *Config, text string) bool {
			c.Web.Allow = list(text)
			return !slices.ContainsFunc(c.Web.Allow, func(origin string) bool { return !isOrigin(origin) })
		}},
	}
}

func isOrigin(text string) bool {
	host, port, err := net.SplitHostPort(text)
	n, numberErr := strconv.Atoi(port)
	return err == nil && host != "" && !strings.ContainsAny(host, "/*@") && numberErr == nil && n > 0 && n < 1<<16
}

// settle takes the key from the environment, and checks what the service needs.
func (w *Web) settle(env map[string]string) error {
	if w.KeyEnv != "" {
		if w.Key = env[w.KeyEnv]; w.Key == "" {
			return Errorf("web.search_key_env = %q: the environment variable %s is not set", w.KeyEnv, w.KeyEnv)
		}
	}
	if err := web.Check(web.Options{Provider: w.Provider, URL: w.URL, Key: w.Key}); err != nil {
		return Errorf("%v", err)
	}
	return nil
}
