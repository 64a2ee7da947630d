package config

import (
	"net"
	"net/url"
	"strings"
)

// Telemetry says where traces go; without an endpoint there are none.
type Telemetry struct {
	endpoint string
	// tracesURL is the whole address, where the environment names one.
	tracesURL string
	Headers   map[string]string
	Service   string
	// MetricsToken opens /metrics, MetricsAddr is a listener that has nothing else.
	MetricsToken, MetricsAddr string
}

// The settings of traces.
const (
	otlpEndpointKey = "telemetry.otlp_endpoint"
	otlpHeadersKey  = "telemetry.otlp_headers"
	serviceNameKey  = "telemetry.service_name"
	metricsTokenKey = "telemetry.metrics_token"
	metricsAddrKey  = "telemetry.metrics_addr"
)

// minMetricsToken is the length from which a token cannot be guessed.
const minMetricsToken = 16

const otlpAllowed = "an http or https URL without user, query and fragment, such as http://127.0.0.1:4318"

func telemetryKeys() []key {
	return []key{
		{otlpEndpointKey, "", otlpAllowed, func(c *Config, text string) bool {
			c.Telemetry.endpoint = strings.TrimSuffix(text, "/")
			return text == "" || isCollector(text)
		}},
		{otlpHeadersKey, "", "NAME=VALUE pairs separated by commas, values percent-encoded, such as authorization=Bearer%20abc", func(c *Config, text string) (ok bool) {
			c.Telemetry.Headers, ok = otlpHeaders(text)
			return ok
		}},
		{serviceNameKey, "fusebox", "a name", func(c *Config, text string) bool {
			c.Telemetry.Service = text
			return text != ""
		}},
		{metricsTokenKey, "", "a text of at least 16 characters without spaces", func(c *Config, text string) bool {
			c.Telemetry.MetricsToken = text
			return text == "" || len(text) >= minMetricsToken && !strings.ContainsAny(text, " \t\r\n")
		}},
		{metricsAddrKey, "", "HOST:PORT, such as 127.0.0.1:9100", func(c *Config, text string) bool {
			c.Telemetry.MetricsAddr = text
			_, _, err := net.SplitHostPort(text)
			return text == "" || err == nil
		}},
	}
}

// isCollector refuses what may contain a secret: addresses are logged, headers not.
func isCollector(text string) bool {
	u, ok := WebURL(text)
	return ok && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

const headerChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func otlpHeaders(text string) (map[string]string, bool) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || name == "" || strings.Trim(name, headerChars) != "" || err != nil || strings.ContainsAny(value, "\r\n\x00") {
			return nil, false
		}
		headers[name] = value
	}
	return headers, true
}

// standardVariables are OpenTelemetry's own names of settings. Ours go before
// them, and they before the configuration file.
var standardVariables = []struct{ name, key string }{
	{"OTEL_EXPORTER_OTLP_ENDPOINT", otlpEndpointKey},
	{"OTEL_EXPORTER_OTLP_HEADERS", otlpHeadersKey},
	{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", otlpHeadersKey}, // those of traces win
	{"OTEL_SERVICE_NAME", serviceNameKey},
}

// standard takes what OpenTelemetry's variables say.
func (c *Config) standard(env map[string]string) error {
	for _, v := range standardVariables {
		for _, k := range telemetryKeys() {
			if k.path != v.key || env[v.name] == "" || env[k.envName()] != "" {
				continue
			}
			if !k.set(c, env[v.name]) {
				return Errorf("environment variable %s: the value is not allowed; allowed: %s", v.name, k.allowed)
			}
		}
	}
	if whole := env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]; whole != "" && env["FUSEBOX_TELEMETRY_OTLP_ENDPOINT"] == "" {
		if !isCollector(whole) {
			return Errorf("environment variable OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: the value is not allowed; allowed: %s/v1/traces", otlpAllowed)
		}
		c.Telemetry.tracesURL = whole
	}
	// Another wire format than ours is refused, rather than sending what the collector
	// does not understand.
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := env[name]; p != "" && p != "http/protobuf" && c.Telemetry.URL() != "" {
			return Errorf("environment variable %s: %q is not allowed; allowed: http/protobuf", name, p)
		}
	}
	return nil
}

// URL is the address that traces are posted to, "" for none.
func (t Telemetry) URL() string {
	if t.tracesURL != "" || t.endpoint == "" {
		return t.tracesURL
	}
	return t.endpoint + "/v1/traces"
}
