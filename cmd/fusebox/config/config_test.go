package config

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
	if c.Addr != "127.0.0.1:8080" || !c.UsesDemo() {
		t.Errorf("addr = %q, demo = %v", c.Addr, c.UsesDemo())
	}
	if c.Guard.Window != 30 || c.Guard.Warning != 5 || c.Guard.Critical != 8 || c.Guard.Breaker != 10 ||
		c.Guard.MaxSteps != 50 || c.Guard.MaxDuration != 10*time.Minute || c.Guard.Ceiling != 50 {
		t.Errorf("guard = %+v", c.Guard)
	}
	if c.RunTokens != 200_000 || c.Retry.Max != 10 || c.Retry.Base != 500*time.Millisecond || c.Approval.Timeout != 24*time.Hour {
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
	if c.Guard.Warning != 4 || c.Guard.Critical != 6 || c.Addr != "127.0.0.1:2" {
		t.Errorf("warning %d, critical %d, addr %s", c.Guard.Warning, c.Guard.Critical, c.Addr)
	}
	if p := c.Prices["big"]; p.Input != 2_500_000 || p.Cached != 2_500_000 || p.Output != 10_000_000 {
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
	if got := strings.Join(c.Hosts, " "); got != "fusebox.example.org myhost" {
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
	if c.Notify.PublicURL != "https://box.example.org:8443" || strings.Join(c.Hosts, " ") != "127.0.0.1 box.example.org" {
		t.Errorf("url %s, hosts %v", c.Notify.PublicURL, c.Hosts)
	}
}

func TestNamedConfigFileMustExist(t *testing.T) {
	t.Parallel()
	_, err := load(t, nil, "-config", filepath.Join(t.TempDir(), "none.toml"))
	if err == nil || !strings.Contains(err.Error(), "none.toml") {
		t.Errorf("err = %v", err)
	}
}

// TestRetrySettings: how often, and in which words, and what is not allowed.
func TestRetrySettings(t *testing.T) {
	t.Parallel()
	file := writeConfig(t, "[retry]\nmax = 4\nfallbacks = 2\ncontinue_prompt = \"Go on, please.\"\n")
	c, err := load(t, nil, "-config", file)
	if err != nil || c.Retry.Max != 4 || c.Retry.Fallbacks != 2 || c.Retry.ContinuePrompt != "Go on, please." {
		t.Errorf("%+v, %v", c.Retry, err)
	}
	for value, want := range map[string]string{
		"fallbacks = 0": "a whole number from 1 to 20", "fallbacks = 21": "a whole number from 1 to 20",
		`continue_prompt = " "`: "a text of 1 to 2000 characters", `continue_prompt = "` + strings.Repeat("x", 2001) + `"`: "a text of 1 to 2000 characters",
	} {
		_, err := load(t, nil, "-config", writeConfig(t, "[retry]\n"+value+"\n"))
		name, _, _ := strings.Cut(value, " ")
		if err == nil || !strings.Contains(err.Error(), "retry."+name) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v", value, err)
		}
	}
}
