package config

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"fusebox/agent"
)

// check checks settings against each other and against the world.
func (c *Config) check() error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return Errorf("listen address (-addr, FUSEBOX_ADDR) %q is not HOST:PORT, such as 127.0.0.1:8080", c.Addr)
	}
	if host != "" { // a server that listens under a name is reached under it
		c.Hosts = append(c.Hosts, host)
	}
	if err := c.checkDatabase(); err != nil {
		return err
	}
	if c.BaseURL != "" {
		if u, err := url.Parse(c.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return Errorf("endpoint (-base-url, OPENAI_BASE_URL) %q is not an http or https URL, such as https://api.openai.com/v1", c.BaseURL)
		}
	}
	if err := c.Guard.Check(); err != nil {
		return Errorf("%s", agent.MessageOf(err))
	}
	if err := c.Notify.check(); err != nil {
		return err
	}
	if u, ok := WebURL(c.Notify.PublicURL); ok { // links lead there
		c.Hosts = append(c.Hosts, u.Hostname())
	}
	if c.Retry.Base > c.Retry.Cap {
		return Errorf("retry.base = %s must not be above retry.cap = %s", c.Retry.Base, c.Retry.Cap)
	}
	return nil
}

// checkDatabase turns the database URL into a path.
func (c *Config) checkDatabase() error {
	if c.Database == "" {
		c.Database = filepath.Join(c.Data, "fusebox.db")
		return nil
	}
	path, ok := strings.CutPrefix(c.Database, "sqlite://")
	if !ok || path == "" {
		scheme, _, _ := strings.Cut(c.Database, "://")
		return Errorf("database (-db, FUSEBOX_DATABASE_URL) of scheme %q is not known; allowed: sqlite://PATH", scheme)
	}
	c.Database = path
	return nil
}
