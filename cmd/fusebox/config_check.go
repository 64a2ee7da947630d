package main

import (
	"fusebox/agent"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// check holds settings against each other and against the world.
func (c *Config) check() error {
	host, _, err := net.SplitHostPort(c.addr)
	if err != nil {
		return errorf("listen address (-addr, FUSEBOX_ADDR) %q is not HOST:PORT, such as 127.0.0.1:8080", c.addr)
	}
	if host != "" { // who listens under a name is asked under it
		c.hosts = append(c.hosts, host)
	}
	if err := c.checkDatabase(); err != nil {
		return err
	}
	if c.baseURL != "" {
		if u, err := url.Parse(c.baseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return errorf("endpoint (-base-url, OPENAI_BASE_URL) %q is not an http or https URL, such as https://api.openai.com/v1", c.baseURL)
		}
	}
	if err := c.guard.Check(); err != nil {
		return errorf("%s", agent.MessageOf(err))
	}
	if err := c.notify.check(); err != nil {
		return err
	}
	if u, ok := webURL(c.notify.publicURL); ok { // links lead there
		c.hosts = append(c.hosts, u.Hostname())
	}
	if c.retry.base > c.retry.cap {
		return errorf("retry.base = %s must not be above retry.cap = %s", c.retry.base, c.retry.cap)
	}
	return nil
}

// checkDatabase turns the database URL into a path.
func (c *Config) checkDatabase() error {
	if c.db == "" {
		c.db = filepath.Join(c.data, "fusebox.db")
		return nil
	}
	path, ok := strings.CutPrefix(c.db, "sqlite://")
	if !ok || path == "" {
		scheme, _, _ := strings.Cut(c.db, "://")
		return errorf("database (-db, FUSEBOX_DATABASE_URL) of scheme %q is not known; allowed: sqlite://PATH", scheme)
	}
	c.db = path
	return nil
}
