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
		"an error":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret inside", http.StatusBadGateway) },
		"no JSON":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a hung call": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		srv := httptest.NewServer(h)
		tool := weather{client: &http.Client{Timeout: time.Second}, forecast: srv.URL, geocoding: srv.URL}
		res := tool.Run(t.Context(), agent.ToolInput{Args: json.RawMessage(`{"city":"x"}`)})
		if res.ErrorType != agent.ErrNetwork || strings.Contains(res.Content, srv.URL) || strings.Contains(res.Content, "secret") {
			t.Errorf("%s: %+v", name, res)
		}
		srv.CloseClientConnections()
		srv.Close()
	}
}
