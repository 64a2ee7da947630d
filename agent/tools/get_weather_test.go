package tools

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

func TestWeather(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	for city, want := range map[string]string{"Guangzhou": `"city":"Guangzhou"`, "香港": `"city":"Hong Kong"`, "beijing": `"condition":"Clear sky"`} {
		res := run(t.Context(), r, "get_weather", map[string]any{"city": city})
		if res.ErrorType != "" || !strings.Contains(res.Content, want) || !strings.Contains(res.Content, `"sample":true`) {
			t.Errorf("%s: %+v", city, res)
		}
	}
	if res := run(t.Context(), r, "get_weather", map[string]any{"city": "Atlantis"}); res.ErrorType != agent.ErrExecution || !strings.Contains(res.Content, "Atlantis") {
		t.Errorf("unknown city: %+v", res)
	}
	for name, h := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret inside", http.StatusBadGateway) },
		"no measurement": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"results":[{"name":"X","latitude":1,"longitude":2}],"current":{}}`))
		},
		"no end": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"results":[{"name":"` + strings.Repeat("x", 2*maxWeatherBody) + `"}]}`))
		},
		"no JSON":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a hung call": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		srv := httptest.NewServer(h)
		client := srv.Client()
		if name == "a hung call" {
			client.Timeout = time.Millisecond
		}
		tool := weather{client: client, forecast: srv.URL, geocoding: srv.URL}
		res := tool.Run(t.Context(), agent.ToolInput{Args: json.RawMessage(`{"city":"x"}`)})
		if res.ErrorType != agent.ErrNetwork || strings.Contains(res.Content, srv.URL) || strings.Contains(res.Content, "secret") {
			t.Errorf("%s: %+v", name, res)
		}
		srv.CloseClientConnections()
		srv.Close()
	}
}

// TestWeatherOfTheRealService: only a server that says so gives samples.
func TestWeatherOfTheRealService(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/search", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("name") == "São Paulo & Rio" && r.FormValue("count") == "1" {
			_, _ = w.Write([]byte(`{"results":[{"name":"São Paulo","country":"Brazil","latitude":-23.5,"longitude":-46.625}]}`))
		}
	})
	mux.HandleFunc("GET /v1/forecast", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("latitude") == "-23.5" && r.FormValue("longitude") == "-46.625" {
			_, _ = w.Write([]byte(`{"current":{"time":"2026-05-01T10:15","temperature_2m":0,"relative_humidity_2m":70,"wind_speed_10m":12,"weather_code":2}}`))
		}
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	tool := weather{client: srv.Client(), forecast: srv.URL, geocoding: srv.URL}
	res := tool.Run(t.Context(), agent.ToolInput{Args: json.RawMessage(`{"city":"São Paulo & Rio"}`)})
	want := `{"city":"São Paulo","country":"Brazil","temperatureC":0,"humidity":70,"windKmh":12,"condition":"Partly cloudy","observedAt":"2026-05-01T10:15"}`
	if res.Content != want || res.ErrorType != "" {
		t.Errorf("%s %s", res.ErrorType, res.Content)
	}
}
