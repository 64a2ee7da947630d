package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestCostsThatEndpointsName: they stand in the ledger, and where the price list differs
// the page of the spend says so. Budgets and sums go by the price list.
func TestCostsThatEndpointsName(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cost   string
		listed bool // in the ledger
		told   bool // on the page
	}{
		"more than the list":  {`,"cost":0.5`, true, true},
		"less than the list":  {`,"cost":"0.001"`, true, true},
		"as the list":         {`,"cost":0.01`, true, false},
		"a little more":       {`,"cost":0.0102`, true, false},
		"nothing":             {``, false, false},
		"less than no dollar": {`,"cost":-0.01`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Sunny."},"finish_reason":"stop"}]}`+"\n\n"+
					`data: {"choices":[],"usage":{"prompt_tokens":8000,"completion_tokens":1000,"total_tokens":9000`+tc.cost+`}}`+"\n\ndata: [DONE]\n\n")
			}))
			t.Cleanup(srv.Close)
			file := writeConfig(t, "[prices.m]\ninput = 1.0\noutput = 2.0\n")
			p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1", "FUSEBOX_MODEL=m", "FUSEBOX_CONFIG="+file)...)
			a := p.admin()
			_, run := a.ask("hi")
			got := a.rests(run)
			if got["status"] != "finished" || fmt.Sprint(got["costMicros"]) != "10000" {
				t.Fatalf("run is %v", got)
			}
			if _, ledger := a.call(http.MethodGet, "/api/v1/ledger?run="+run, ""); strings.Contains(string(ledger), `"namedMicros":`) != tc.listed {
				t.Errorf("the ledger is %s", ledger)
			}
			if page := a.page(t, "/admin/spend"); strings.Contains(page, "The endpoint of m names a cost of") != tc.told {
				t.Errorf("the page tells of it: %v, want %v", !tc.told, tc.told)
			}
		})
	}
}

// TestASmallWindow: an endpoint whose window prompt and output pass together is asked for
// less, and then at once.
func TestASmallWindow(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 8)
	var refusals atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		if strings.Contains(string(body), `"max_tokens":8192`) {
			refusals.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"This endpoint's maximum context length is 8192 tokens. However, you requested about 9210 tokens (1018 of text input, 8192 in the output). Please reduce the length of either one.","code":400}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Sunny."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1", "FUSEBOX_MODEL=m")...)
	a := p.admin()
	for range 2 {
		_, run := a.ask("hi")
		if got := a.rests(run); got["status"] != "finished" {
			t.Fatalf("run is %v", got)
		}
	}
	if n := len(bodies); n != 3 || refusals.Load() != 1 {
		t.Errorf("%d requests, %d of them refused", n, refusals.Load())
	}
	<-bodies
	if second := <-bodies; !strings.Contains(second, `"max_tokens":7110`) {
		t.Errorf("asked again with %.300s", second[max(len(second)-300, 0):])
	}
}
