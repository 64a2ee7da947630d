package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, env []string, args ...string) (config, error) {
	t.Helper()
	p := process{env: append(env, "FUSEBOX_DATA="+t.TempDir()), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	c, _, err := p.loadConfig("serve", args)
	return c, err
}

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

// TestConfigErrors: one line that says where it stands, the value, and what is
// allowed; exit status 2.
func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		env, args  []string
		want       []string
	}{
		{"unknown key", "[guard]\ncritcal = 8\n", nil, nil, []string{"fusebox.toml", "guard.critcal", "8", "guard.critical"}},
		{"bad value in the file", "[guard]\nwarning = \"many\"\n", nil, nil, []string{"fusebox.toml", "guard.warning", `"many"`, "whole number"}},
		{"bad value in the environment", "", []string{"FUSEBOX_MODEL_IDLE_TIMEOUT=soon"}, nil, []string{"FUSEBOX_MODEL_IDLE_TIMEOUT", `"soon"`, "duration"}},
		{"bad flag", "", nil, []string{"-adr", "x"}, []string{"-adr", "-addr"}},
		{"bad address", "", nil, []string{"-addr", "8080"}, []string{"-addr", `"8080"`, "HOST:PORT"}},
		{"broken TOML", "[guard\n", nil, nil, []string{"fusebox.toml", "line 2", "table name"}},
		{"choice", "[approval]\non_timeout = \"perhaps\"\n", nil, nil, []string{"approval.on_timeout", `"perhaps"`, "park, reject, abort"}},
		{"thresholds out of order", "[guard]\nwarning = 9\n", nil, nil, []string{"guard.warning = 9", "guard.critical = 8"}},
		{"negative price", "[prices.m]\ninput = -1\n", nil, nil, []string{"prices.m.input", "-1"}},
		{"database scheme", "", []string{"FUSEBOX_DATABASE_URL=mysql://u:s3cret@h/d"}, nil, []string{"mysql", "sqlite://PATH"}},
		{"short secret", "", []string{"FUSEBOX_NOTIFY_WEBHOOK_SECRET=s3cret"}, nil, []string{"FUSEBOX_NOTIFY_WEBHOOK_SECRET", "16 characters"}},
		{"webhook address", "[notify]\nwebhook_url = \"hooks.example.org/s3cret\"\n", nil, nil, []string{"notify.webhook_url", "http or https"}},
		{"webhook without a secret", "", []string{"FUSEBOX_NOTIFY_WEBHOOK_URL=https://hooks.example.org/s3cret"}, nil, []string{"notify.webhook_secret", "FUSEBOX_NOTIFY_WEBHOOK_SECRET"}},
		{"mail server", "", []string{"FUSEBOX_NOTIFY_SMTP_URL=smpt://u:s3cret@mail.example.org"}, nil, []string{"FUSEBOX_NOTIFY_SMTP_URL", "smtp://USER:PASSWORD@HOST:587"}},
		{"password in the clear", "", []string{"FUSEBOX_NOTIFY_SMTP_URL=smtp+plain://u:s3cret@mail.example.org"}, nil, []string{"no TLS, no password"}},
		{"mail without a sender", "", []string{"FUSEBOX_NOTIFY_SMTP_URL=smtp://u:s3cret@mail.example.org"}, nil, []string{"notify.from"}},
		{"sender", "", []string{"FUSEBOX_NOTIFY_FROM=nobody"}, nil, []string{`"nobody"`, "e-mail address"}},
		{"unknown key of notifications", "[notify]\nwebhook_sekret = \"s3cret\"\n", nil, nil, []string{"notify.webhook_sekret", "notify.webhook_secret"}},
		{"time zone", "[budget]\ntime_zone = \"Europe/Berlim\"\n", nil, nil, []string{"budget.time_zone", `"Europe/Berlim"`, "Europe/Berlin"}},
		{"time zone of the machine", "", []string{"FUSEBOX_BUDGET_TIME_ZONE=Local"}, nil, []string{"FUSEBOX_BUDGET_TIME_ZONE", `"Local"`}},
		{"public address", "", []string{"FUSEBOX_SERVER_URL=fusebox.example.org"}, nil, []string{"FUSEBOX_SERVER_URL", "https://fusebox.example.org"}},
		{"collector", "", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=https://u:s3cret@otel:4318"}, nil, []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "without user"}},
		{"collector of traces", "", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=otel:4318/s3cret"}, nil, []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces"}},
		{"collector in the file", "[telemetry]\notlp_endpoint = \"https://otel?key=s3cret\"\n", nil, nil, []string{"telemetry.otlp_endpoint", "without user"}},
		{"headers", "", []string{"FUSEBOX_TELEMETRY_OTLP_HEADERS=s3cret"}, nil, []string{"FUSEBOX_TELEMETRY_OTLP_HEADERS", "NAME=VALUE"}},
		{"line breaks in headers", "", []string{"OTEL_EXPORTER_OTLP_HEADERS=a=s3cret%0d%0ab"}, nil, []string{"OTEL_EXPORTER_OTLP_HEADERS", "NAME=VALUE"}},
		{"unknown key of telemetry", "[telemetry]\notlp_header = \"a=s3cret\"\n", nil, nil, []string{"telemetry.otlp_header", "telemetry.otlp_headers"}},
		{"protocol", "", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, nil, []string{"OTEL_EXPORTER_OTLP_PROTOCOL", `"grpc"`, "http/protobuf"}},
		{"endpoint", "", nil, []string{"-base-url", "ftp://x"}, []string{"-base-url", `"ftp://x"`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			args := tc.args
			if tc.file != "" {
				args = append(args, "-config", writeConfig(t, tc.file))
			}
			p := process{env: append(tc.env, "FUSEBOX_DATA="+t.TempDir()), stdout: &bytes.Buffer{}, stderr: &stderr}
			if code := p.main(t.Context(), args); code != exitUsage {
				t.Fatalf("exit status %d, want %d: %s", code, exitUsage, stderr.String())
			}
			line := strings.TrimSpace(stderr.String())
			if strings.Contains(line, "\n") {
				t.Errorf("more than one line: %s", line)
			}
			for _, w := range tc.want {
				if !strings.Contains(line, w) {
					t.Errorf("%q does not name %q", line, w)
				}
			}
			if strings.Contains(line, "s3cret") {
				t.Errorf("%q shows a secret", line)
			}
		})
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

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fusebox.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
