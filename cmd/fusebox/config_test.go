package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	c, err := load(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.addr != "127.0.0.1:8080" || !c.usesDemo() {
		t.Errorf("addr = %q, demo = %v", c.addr, c.usesDemo())
	}
	if c.guard.Window != 30 || c.guard.Warning != 5 || c.guard.Critical != 8 || c.guard.Breaker != 10 ||
		c.guard.MaxSteps != 50 || c.guard.MaxDuration != 10*time.Minute || c.guard.Ceiling != 50 {
		t.Errorf("guard = %+v", c.guard)
	}
	if c.runTokens != 200_000 || c.retry.max != 10 || c.retry.base != 500*time.Millisecond || c.approval.timeout != 24*time.Hour {
		t.Errorf("config = %+v", c)
	}
}

// TestConfigPrecedence: flag over environment over file over default.
func TestConfigPrecedence(t *testing.T) {
	t.Parallel()
	file := writeConfig(t, "[guard]\nwarning = 4\ncritical = 7\n[prices.big]\ninput = 2.5\noutput = 10\n")
	c, err := load(t, []string{"FUSEBOX_GUARD_CRITICAL=6", "FUSEBOX_ADDR=127.0.0.1:1"}, "-config", file, "-addr", "127.0.0.1:2")
	if err != nil {
		t.Fatal(err)
	}
	if c.guard.Warning != 4 || c.guard.Critical != 6 || c.addr != "127.0.0.1:2" {
		t.Errorf("warning %d, critical %d, addr %s", c.guard.Warning, c.guard.Critical, c.addr)
	}
	if p := c.prices["big"]; p.Input != 2_500_000 || p.Cached != 2_500_000 || p.Output != 10_000_000 {
		t.Errorf("price = %+v", p)
	}
}

// TestListenNameIsAllowed: the name that the server listens under is one it may
// be asked under, beside those that are configured.
func TestListenNameIsAllowed(t *testing.T) {
	t.Parallel()
	c, err := load(t, []string{"FUSEBOX_SERVER_HOSTS=fusebox.example.org"}, "-addr", "myhost:8080")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.hosts, " "); got != "fusebox.example.org myhost" {
		t.Errorf("hosts: %s", got)
	}
}

// TestLinksCanBeFollowed: where links lead, the server answers.
func TestLinksCanBeFollowed(t *testing.T) {
	t.Parallel()
	c, err := load(t, []string{"FUSEBOX_SERVER_URL=https://box.example.org:8443/"})
	if err != nil {
		t.Fatal(err)
	}
	if c.notify.publicURL != "https://box.example.org:8443" || strings.Join(c.hosts, " ") != "127.0.0.1 box.example.org" {
		t.Errorf("url %s, hosts %v", c.notify.publicURL, c.hosts)
	}
}

func TestNamedConfigFileMustExist(t *testing.T) {
	t.Parallel()
	_, err := load(t, nil, "-config", filepath.Join(t.TempDir(), "none.toml"))
	if err == nil || !strings.Contains(err.Error(), "none.toml") {
		t.Errorf("err = %v", err)
	}
}
