package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTelemetryConfig: OpenTelemetry's own variables are understood; ours go
// before them, and they before the file.
func TestTelemetryConfig(t *testing.T) {
	t.Parallel()
	file := writeConfig(t, "[telemetry]\notlp_endpoint = \"http://file:4318/\"\nservice_name = \"file\"\n")
	for _, tc := range []struct {
		name, url, service string
		env, args          []string
		headers            map[string]string
	}{
		{name: "nothing", service: "fusebox"},
		{name: "file", args: []string{"-config", file}, url: "http://file:4318/v1/traces", service: "file"},
		{
			name: "standard", args: []string{"-config", file}, url: "https://otel:4318/box/v1/traces", service: "otel",
			env:     []string{"OTEL_EXPORTER_OTLP_ENDPOINT=https://otel:4318/box/", "OTEL_SERVICE_NAME=otel", "OTEL_EXPORTER_OTLP_HEADERS=a=b%20c, x-y=z=1"},
			headers: map[string]string{"a": "b c", "x-y": "z=1"},
		},
		{
			name: "whole address", url: "http://otel:4318/as/it/is", service: "fusebox",
			env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://other:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://otel:4318/as/it/is",
				"OTEL_EXPORTER_OTLP_HEADERS=a=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS=b=2", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"},
			headers: map[string]string{"b": "2"},
		},
		{
			name: "ours", url: "http://ours:4318/v1/traces", service: "ours",
			env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://other:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://other:2/x",
				"FUSEBOX_TELEMETRY_OTLP_ENDPOINT=http://ours:4318", "FUSEBOX_TELEMETRY_SERVICE_NAME=ours", "OTEL_SERVICE_NAME=other"},
		},
		{name: "no endpoint, any protocol", service: "fusebox", env: []string{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := load(t, tc.env, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Telemetry.URL(); got != tc.url {
				t.Errorf("traces go to %q, want %q", got, tc.url)
			}
			if c.Telemetry.Service != tc.service {
				t.Errorf("the service is %q, want %q", c.Telemetry.Service, tc.service)
			}
			if diff := cmp.Diff(tc.headers, c.Telemetry.Headers); diff != "" && len(tc.headers)+len(c.Telemetry.Headers) > 0 {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}
