package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"fusebox/agent/agenttest"
)

// metricsToken opens /metrics of an instance.
const metricsToken = "a-token-for-scraping"

func (h *instance) scrape(t testing.TB) map[string]float64 {
	t.Helper()
	return scrape(t, h.url)
}

// scrape reads /metrics as Prometheus does: a value by series.
func scrape(t testing.TB, url string) map[string]float64 {
	t.Helper()
	status, raw := api{t, url, metricsToken}.call("GET", "/metrics", "")
	if status != http.StatusOK {
		t.Fatalf("/metrics: %d %s", status, raw)
	}
	series := map[string]float64{}
	for line := range strings.Lines(string(raw)) {
		name, value, found := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, "#") || !found {
			continue
		}
		if i := strings.LastIndex(line, "} "); i >= 0 {
			name, value = line[:i+1], strings.TrimSpace(line[i+2:])
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		series[name] = v
	}
	return series
}

// TestMetrics: what runs do is counted, what they spend is the ledger's sum, and
// stays it over a restart.
func TestMetrics(t *testing.T) {
	t.Parallel()
	h := startInstance(t, "FUSEBOX_RETRY_BASE=10ms")
	t.Run("calls", func(t *testing.T) {
		h := h.as(t)
		h.model.stumbles(t.Name(), 2)
		run := h.asks(t, []asked{sh("echo x >> out"), {"calculator", `{"expression":"6*7"}`}, {"no_such_tool_xyz", `{}`}})
		decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
		h.ana.rests(run)
	})
	t.Run("circles", func(t *testing.T) {
		same := []asked{{"calculator", `{"expression":"1+1"}`}}
		h.as(t).asks(t, same, same, same, same, same)
	})
	t.Run("waits", func(t *testing.T) { h.as(t).asks(t, []asked{sh("echo y >> out")}) })
	h.as(t)
	got := h.scrape(t)
	want := map[string]float64{
		`fusebox_steps_total{gen_ai_request_model="scripted"}`:                    9,
		`fusebox_model_calls_total{gen_ai_request_model="scripted"}`:              9,
		`fusebox_unpriced_calls_total{gen_ai_request_model="scripted"}`:           9,
		`fusebox_runs_total{status="finished",stop_reason="goal"}`:                2,
		`fusebox_guard_trips_total{detector="generic_repeat",level="warning"}`:    1,
		`fusebox_approvals_requested_total{kind="tool",risk="high"}`:              2,
		`fusebox_approvals_decided_total{decision="approve",kind="tool"}`:         1,
		`fusebox_approval_wait_seconds_count{kind="tool"}`:                        1,
		`fusebox_approvals_pending{kind="tool"}`:                                  1,
		`fusebox_approvals_pending{kind="loop"}`:                                  0,
		`fusebox_runs_active{status="paused"}`:                                    1,
		`fusebox_runs_active{status="running"}`:                                   0,
		`fusebox_model_retries_total{status_class="5xx"}`:                         2,
		`fusebox_tool_calls_total{gen_ai_tool_name="run_shell",state="success"}`:  1,
		`fusebox_tool_calls_total{gen_ai_tool_name="calculator",state="success"}`: 6,
		`fusebox_tool_calls_total{gen_ai_tool_name="other",state="error"}`:        1,
		`fusebox_tool_duration_seconds_count{gen_ai_tool_name="run_shell"}`:       1,
		`gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="scripted"}`:  9,
		`gen_ai_server_time_to_first_token_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="scripted"}`: 9,
		`fusebox_websocket_readers`: 0,
	}
	for series, n := range want {
		if got[series] != n {
			t.Errorf("%s is %v, want %v", series, got[series], n)
		}
	}
	if age := got[`fusebox_approval_oldest_pending_seconds{kind="tool"}`]; age <= 0 || age > 60 {
		t.Errorf("the oldest card is %v s old", age)
	}
	commits := got["fusebox_journal_commits_total"]
	if commits < 1 || got["fusebox_journal_group_size_sum"] < commits || got["fusebox_journal_commit_seconds_sum"] <= 0 || got["fusebox_journal_queue_length"] < 0 {
		t.Errorf("%v commits of %v writes in %v s", commits, got["fusebox_journal_group_size_sum"], got["fusebox_journal_commit_seconds_sum"])
	}
	h.sameAsBill(t, got)
	h.restart(t)
	h.sameAsBill(t, h.scrape(t))
	h.afterRestart(t)
}

// sameAsBill checks what metrics say is spent against the bill of the API.
func (h *instance) sameAsBill(t *testing.T, got map[string]float64) {
	t.Helper()
	admin := api{t: t, url: h.url, token: h.token(adminEmail)}
	rows := admin.must("GET", "/api/v1/spend?group=model", "")["items"].([]any)
	if len(rows) != 1 {
		t.Fatalf("%d models in the bill", len(rows))
	}
	row := rows[0].(map[string]any)
	for series, want := range map[string]any{
		`fusebox_tokens_total{gen_ai_request_model="scripted",gen_ai_token_type="input"}`:        row["inputTokens"],
		`fusebox_tokens_total{gen_ai_request_model="scripted",gen_ai_token_type="cached_input"}`: row["cachedTokens"],
		`fusebox_tokens_total{gen_ai_request_model="scripted",gen_ai_token_type="output"}`:       row["outputTokens"],
		`fusebox_cost_micro_usd_total{gen_ai_request_model="scripted"}`:                          row["costMicros"],
	} {
		if v, told := got[series]; !told || v != want {
			t.Errorf("%s is %v, the bill says %v", series, v, want)
		}
	}
	if got[`fusebox_tokens_total{gen_ai_request_model="scripted",gen_ai_token_type="input"}`] != 900 {
		t.Errorf("9 calls of 100 tokens are told as %v", got[`fusebox_tokens_total{gen_ai_request_model="scripted",gen_ai_token_type="input"}`])
	}
}

// afterRestart decides the card that was asked before: what ends now is counted
// under its name, and the card with its age.
func (h *instance) afterRestart(t *testing.T) {
	t.Helper()
	cards := h.rex.must("GET", "/api/v1/approvals?status=pending", "")["items"].([]any)
	card := cards[0].(map[string]any)
	decides(h.rex, card, `{"decision":"approve"}`)
	h.ana.rests(card["runId"].(string))
	got := h.scrape(t)
	for _, series := range []string{
		`fusebox_approval_wait_seconds_count{kind="tool"}`,
		`fusebox_tool_calls_total{gen_ai_tool_name="run_shell",state="success"}`,
		`fusebox_steps_total{gen_ai_request_model="scripted"}`,
		`fusebox_runs_total{status="finished",stop_reason="goal"}`,
	} {
		if got[series] != 1 {
			t.Errorf("after a restart %s is %v, want 1", series, got[series])
		}
	}
	if n := got[`fusebox_approvals_requested_total{kind="tool",risk="high"}`]; n != 0 {
		t.Errorf("a card of before was counted as asked: %v", n)
	}
}

// TestMetricsAreWellFormed: names and texts pass Prometheus's own linter, and
// open sockets are counted.
func TestMetricsAreWellFormed(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	run := h.asks(t, []asked{sh("echo x >> out")})
	decides(h.rex, h.card(t, run), `{"decision":"reject"}`)
	h.ana.rests(run)
	admin := api{t: t, url: h.url, token: h.token(adminEmail)}
	_, raw := admin.call("GET", "/metrics", "")
	problems, err := promlint.New(strings.NewReader(string(raw))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	socket, _, err := websocket.DefaultDialer.DialContext(t.Context(),
		fmt.Sprintf("ws%s/ws/conversations/%s", strings.TrimPrefix(h.url, "http"), h.conversationOf[run]),
		http.Header{"Authorization": {"Bearer " + h.ana.token}})
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Eventually(t, "a reader", func() bool { return h.scrape(t)["fusebox_websocket_readers"] == 1 })
	_ = socket.Close()
	agenttest.Eventually(t, "no reader", func() bool { return h.scrape(t)["fusebox_websocket_readers"] == 0 })
}
