package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		{"memory of commands in words", "[sandbox]\nmax_memory = \"4 GB\"\n", nil, nil, []string{"fusebox.toml", "sandbox.max_memory", `"4 GB"`, "from 134217728 to"}},
		{"no processes of commands", "", []string{"FUSEBOX_SANDBOX_MAX_PROCESSES=0"}, nil, []string{"FUSEBOX_SANDBOX_MAX_PROCESSES", `"0"`, "from 32 to 1048576"}},
		{"tiny workspace", "", []string{"FUSEBOX_SANDBOX_MAX_WORKSPACE=1000"}, nil, []string{"FUSEBOX_SANDBOX_MAX_WORKSPACE", `"1000"`, "from 1048576 to"}},
		{"processor time without a unit", "[sandbox]\nmax_cpu = 60\n", nil, nil, []string{"sandbox.max_cpu", `"60"`, "a duration such as", "from 1s to"}},
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
		{"trusted proxies", "[server]\ntrusted_proxies = [\"127.0.0.1\", \"10.0.0.0/33\"]\n", nil, nil, []string{"server.trusted_proxies", "10.0.0.0/33", "10.0.0.0/8"}},
		{"token for metrics", "[telemetry]\nmetrics_token = \"s3cret\"\n", nil, nil, []string{"telemetry.metrics_token", "16 characters"}},
		{"address for metrics", "", []string{"FUSEBOX_TELEMETRY_METRICS_ADDR=9100"}, nil, []string{"FUSEBOX_TELEMETRY_METRICS_ADDR", "HOST:PORT"}},
		{"time zone", "[budget]\ntime_zone = \"Europe/Berlim\"\n", nil, nil, []string{"budget.time_zone", `"Europe/Berlim"`, "Europe/Berlin"}},
		{"time zone of the machine", "", []string{"FUSEBOX_BUDGET_TIME_ZONE=Local"}, nil, []string{"FUSEBOX_BUDGET_TIME_ZONE", `"Local"`}},
		{"public address", "", []string{"FUSEBOX_SERVER_URL=fusebox.example.org"}, nil, []string{"FUSEBOX_SERVER_URL", "https://fusebox.example.org"}},
		{"collector", "", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=https://u:s3cret@otel:4318"}, nil, []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "without user"}},
		{"collector of traces", "", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=otel:4318/s3cret"}, nil, []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces"}},
		{"collector in the file", "[telemetry]\notlp_endpoint = \"https://otel?key=s3cret\"\n", nil, nil, []string{"telemetry.otlp_endpoint", "without user"}},
		{"server of tools without a program", "[[mcp.servers]]\nname = \"a\"\n", nil, nil, []string{"mcp.servers[0].command", "is missing"}},
		{"name of a server of tools", "[[mcp.servers]]\nname = \"a__b\"\n", nil, nil, []string{"mcp.servers[0].name", `"a__b"`, "no __"}},
		{"two sources of one name", "[[mcp.servers]]\nname = \"a\"\ncommand = [\"x\"]\n[[tools.commands]]\nname = \"a\"\ndiscover = [\"x\"]\ncall = [\"x\"]\n", nil, nil, []string{"tools.commands[0].name", "already taken"}},
		{"transport of a server", "[[mcp.servers]]\nname = \"a\"\nurl = \"http://x\"\ntransport = \"ws\"\n", nil, nil, []string{"mcp.servers[0].transport", `"ws"`, "stdio, http, sse"}},
		{"secret of a server in the file", "[[mcp.servers]]\nname = \"a\"\nurl = \"http://x/mcp\"\nheaders = { Authorization = \"s3cret\" }\n", nil, nil, []string{"mcp.servers[0].headers.Authorization", "$MY_KEY"}},
		{"variable of a server that is not set", "[[mcp.servers]]\nname = \"a\"\ncommand = [\"x\"]\nenv = { KEY = \"$NO_SUCH_KEY\" }\n", nil, nil, []string{"mcp.servers[0].env.KEY", "NO_SUCH_KEY is not set"}},
		{"effect of a tool", "[[mcp.servers]]\nname = \"a\"\ncommand = [\"x\"]\ntools = { t = { effect = \"reads\" } }\n", nil, nil, []string{"mcp.servers[0].tools.t.effect", `"reads"`, "unknown, read, write"}},
		{"unknown key of a server", "[[mcp.servers]]\nname = \"a\"\ncomand = [\"x\"]\n", nil, nil, []string{"mcp.servers.comand", "command"}},
		{"address of a service", "[[tools.openapi]]\nname = \"a\"\nurl = \"desk.example.org\"\n", nil, nil, []string{"tools.openapi[0].url", "https://desk.example.org/api/v1"}},
		{"password of a service in its address", "[[tools.openapi]]\nname = \"a\"\nurl = \"http://u:s3cret@x\"\n", nil, nil, []string{"tools.openapi[0].url", "$MY_KEY"}},
		{"secret of a service in the file", "[[tools.openapi]]\nname = \"a\"\nurl = \"http://x\"\nheaders = { Authorization = \"s3cret\" }\n", nil, nil, []string{"tools.openapi[0].headers.Authorization", "$MY_KEY"}},
		{"risk of an operation", "[[tools.openapi]]\nname = \"a\"\nurl = \"http://x\"\ntools = { t = { risk = \"huge\" } }\n", nil, nil, []string{"tools.openapi[0].tools.t.risk", `"huge"`, "critical"}},
		{"unknown key of a service", "[[tools.openapi]]\nname = \"a\"\naddresses = \"http://x\"\n", nil, nil, []string{"tools.openapi.addresses", "document, url"}},
		{"name of a service", "[[mcp.servers]]\nname = \"a\"\ncommand = [\"x\"]\n[[tools.openapi]]\nname = \"a\"\nurl = \"http://x\"\n", nil, nil, []string{"tools.openapi[0].name", "already taken"}},
		{"limit of no tool", "[[tools.limits]]\nparallel = 1\n", nil, nil, []string{"tools.limits[0].name", "mcp:files"}},
		{"limit without a number", "[[tools.limits]]\nname = \"a\"\n", nil, nil, []string{"tools.limits[0].parallel", "per_minute"}},
		{"limit that lets nothing pass", "[[tools.limits]]\nname = \"a\"\nper_minute = 0\n", nil, nil, []string{"tools.limits[0].per_minute", "= 0", "1 to 100000"}},
		{"two limits of a tool", "[[tools.limits]]\nname = \"a\"\nparallel = 1\n[[tools.limits]]\nname = \"a\"\nparallel = 2\n", nil, nil, []string{"tools.limits[1].name", "already taken"}},
		{"unknown key of a limit", "[[tools.limits]]\nname = \"a\"\nper_hour = 1\n", nil, nil, []string{"tools.limits.per_hour", "parallel, per_minute"}},
		{"role of a command", "[[tools.commands]]\nname = \"a\"\ndiscover = [\"x\"]\ncall = [\"x\"]\nroles = [\"boss\"]\n", nil, nil, []string{"tools.commands[0].roles", `"boss"`, "user, reviewer, admin"}},
		{"timeout of a command", "[[tools.commands]]\nname = \"a\"\ndiscover = [\"x\"]\ncall = [\"x\"]\ntimeout = \"soon\"\n", nil, nil, []string{"tools.commands[0].timeout", `"soon"`, "10ms to 24h"}},
		{"headers", "", []string{"FUSEBOX_TELEMETRY_OTLP_HEADERS=s3cret"}, nil, []string{"FUSEBOX_TELEMETRY_OTLP_HEADERS", "NAME=VALUE"}},
		{"line breaks in headers", "", []string{"OTEL_EXPORTER_OTLP_HEADERS=a=s3cret%0d%0ab"}, nil, []string{"OTEL_EXPORTER_OTLP_HEADERS", "NAME=VALUE"}},
		{"unknown key of telemetry", "[telemetry]\notlp_header = \"a=s3cret\"\n", nil, nil, []string{"telemetry.otlp_header", "telemetry.otlp_headers"}},
		{"protocol", "", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, nil, []string{"OTEL_EXPORTER_OTLP_PROTOCOL", `"grpc"`, "http/protobuf"}},
		{"no run at all", "[run]\nparallel = 0\n", nil, nil, []string{"fusebox.toml", "run.parallel", `"0"`, "a whole number from 1"}},
		{"runs of one person", "", []string{"FUSEBOX_RUN_PARALLEL_PER_USER=all"}, nil, []string{"FUSEBOX_RUN_PARALLEL_PER_USER", `"all"`, "a whole number from 1"}},
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

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fusebox.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
