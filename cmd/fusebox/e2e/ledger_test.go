package e2e

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"fusebox/agent/agenttest"
	storebackup "fusebox/store/backup"
)

// slowModel is a model that begins to answer and then says no more, until it is
// let go: then it answers each request at once.
type slowModel struct {
	waiting atomic.Int64 // requests whose answer has begun
	quick   atomic.Bool
}

func (m *slowModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"slow","object":"model"}]}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"It begins\"}}]}\n\n")
	if !m.quick.Load() {
		w.(http.Flusher).Flush()
		m.waiting.Add(1)
		<-r.Context().Done() // until the process that asks is dead
		return
	}
	chunk(w, map[string]any{"content": " and ends."}, "stop")
}

// ledgerVerify runs the command on a folder.
func ledgerVerify(t *testing.T, data string) string {
	t.Helper()
	return administer(t, data, "ledger", "verify")
}

// TestKillInTheMiddleOfManyCalls: 20 runs have model calls under way when the
// process is killed. What they held of the budgets is free again after the next
// start, each run continues, and the ledger adds up, before and after.
func TestKillInTheMiddleOfManyCalls(t *testing.T) {
	t.Parallel()
	const runs = 20
	model := &slowModel{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	data := t.TempDir()
	env := append(withAdmin(), "OPENAI_BASE_URL="+server.URL+"/v1", "FUSEBOX_MODEL=slow", "FUSEBOX_RUN_PARALLEL_PER_USER="+strconv.Itoa(runs))
	p := startProgram(t, data, env...)
	admin := p.admin()
	admin.must("PUT", "/api/v1/prices", `{"model":"slow","input":1000000,"cached":1000000,"output":2000000,"validFrom":"2026-01-01"}`)
	admin.must("POST", "/api/v1/budgets", `{"who":"everybody","window":"month","limitTokens":10000000,"limitMicros":100000000,"atLimit":"pause"}`)
	var ids []string
	for i := range runs {
		_, run := admin.ask(fmt.Sprint("tell me ", i))
		ids = append(ids, run)
	}
	agenttest.Eventually(t, "all calls to be under way", func() bool { return model.waiting.Load() == runs })
	if held := heldBy(t, admin); held == 0 {
		t.Error("calls under way hold nothing of the budget")
	}
	if out := ledgerVerify(t, data); !strings.Contains(out, fmt.Sprintf("%d reservations open", runs)) {
		t.Errorf("before the crash: %s", out)
	}
	p.kill()
	model.quick.Store(true)
	p = startProgram(t, data, env...)
	admin.url = p.url
	for _, id := range ids {
		if run := admin.rests(id); run["status"] != "finished" {
			t.Errorf("run %s is %s (%s)", id, run["status"], run["stopReason"])
		}
	}
	out := ledgerVerify(t, data)
	if want := fmt.Sprintf("%d calls of %d runs, %d tokens", runs, runs, runs*110); !strings.Contains(out, want) || !strings.Contains(out, " 0 reservations open") {
		t.Errorf("after the crash: %s want %s", out, want)
	}
	if held := heldBy(t, admin); held != 0 {
		t.Errorf("%v tokens are held by nobody", held)
	}
}

// heldBy is what calls under way hold of the one budget.
func heldBy(t *testing.T, admin api) float64 {
	t.Helper()
	items := admin.must("GET", "/api/v1/budgets", "")["items"].([]any)
	if len(items) != 1 {
		t.Fatalf("budgets: %v", items)
	}
	raw, err := json.Marshal(items[0])
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		Standings []struct{ ReservedTokens float64 }
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Standings) != 1 {
		t.Fatalf("standings in %s", raw)
	}
	return b.Standings[0].ReservedTokens
}

// TestLedgerVerifyFindsWhatIsWrong: whoever changes a figure past the program is found out.
func TestLedgerVerifyFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	h.admin().must("POST", "/api/v1/budgets", `{"who":"user","window":"day","limitTokens":10000000,"atLimit":"pause"}`)
	run := h.asks(t, []asked{{"list_files", `{"path":"."}`}})
	h.kill()
	if out := ledgerVerify(t, h.data); !strings.HasPrefix(out, "ok: ") || !strings.Contains(out, "2 calls of 1 runs, 220 tokens") {
		t.Fatalf("untouched: %s", out)
	}
	for _, tc := range []struct{ change, found string }{
		{`UPDATE runs SET cost_micros = cost_micros + 1`, "run " + run},
		{`UPDATE spend_sums SET cost_micros = cost_micros + 1 WHERE dim = 'user'`, "the sum user"},
		{`UPDATE budget_accounts SET used_tokens = used_tokens - 1`, "the account of budget"},
		{`UPDATE budget_accounts SET reserved_tokens = 5`, "the account of budget"},
		{`INSERT INTO reservations SELECT run_id, 'ghost', 1, 1, '', 0, 0, '', 1, '' FROM ledger LIMIT 1`, "reservation ghost"},
		{`DROP TRIGGER ledger_no_update; UPDATE ledger SET tokens = tokens + 1 WHERE seq = 2`, "reservation"},
		{`DROP TRIGGER ledger_no_delete; DELETE FROM ledger WHERE seq = 1`, "rows are missing"},
		{`DROP TRIGGER usage_no_update; UPDATE usage SET cost_micros = cost_micros + 1`, "step 1"},
		{`DROP TRIGGER ledger_no_update; UPDATE ledger SET run_id = 'another' WHERE kind = 'release' AND step = 1`, "several runs"},
		{`DROP TRIGGER usage_no_update; UPDATE usage SET reservation_id = 'another' WHERE step = 1`, "names different reservations"},
		{`DROP TRIGGER usage_no_delete; DELETE FROM usage WHERE step = 1`, "is in the ledger and not in the bill"},
	} {
		copied := t.TempDir()
		path := filepath.Join(copied, "fusebox.db")
		if _, err := storebackup.Create(t.Context(), filepath.Join(h.data, "fusebox.db"), path, storebackup.Files{}); err != nil {
			t.Fatal(err)
		}
		if err := changed(t, path, tc.change); err != nil {
			t.Fatalf("%s: %v", tc.change, err)
		}
		status, out, said := fusebox(t, copied, "", "ledger", "verify")
		if status != exitTripped || said != "" || !strings.HasPrefix(out, "broken: ") || !strings.Contains(out, tc.found) {
			t.Errorf("%s: status %d: %s%s, want %q", tc.change, status, out, said, tc.found)
		}
	}
}

// changed changes a database past the program.
func changed(t *testing.T, path, statements string) error {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(t.Context(), statements)
	return errors.Join(err, db.Close())
}

// TestLedgerIsAppendOnly: the database itself refuses to change or remove what is entered.
func TestLedgerIsAppendOnly(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	h.asks(t)
	h.kill()
	for _, change := range []string{
		`UPDATE ledger SET tokens = 0`, `DELETE FROM ledger`, `UPDATE usage SET cost_micros = 0`, `DELETE FROM usage`,
		`INSERT OR REPLACE INTO ledger SELECT * FROM ledger`,
	} {
		if err := changed(t, filepath.Join(h.data, "fusebox.db"), change); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// TestLedgerLeadsToTheCall: each amount that was spent leads to the run, the step,
// the model, the tools, the person and the provider's name for the request.
func TestLedgerLeadsToTheCall(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	run := h.asks(t, []asked{{"list_files", `{"path":"."}`}, {"list_files", `{"path":"/"}`}})
	items := h.admin().must("GET", "/api/v1/ledger?run="+run, "")["items"].([]any)
	var kinds []string
	var lines []map[string]any
	for _, item := range items {
		e := item.(map[string]any)
		kinds = append(kinds, e["kind"].(string))
		if line, spent := e["line"].(map[string]any); spent {
			lines = append(lines, line)
		}
	}
	if got := strings.Join(kinds, " "); got != "reservation settlement release reservation settlement release" {
		t.Errorf("entered: %s", got)
	}
	if len(lines) != 2 || lines[0]["user"] != "ana@example.org" || lines[0]["model"] != "scripted" || lines[0]["requestId"] != "x" ||
		lines[0]["conversationId"] != h.conversationOf[run] || fmt.Sprint(lines[0]["tools"]) != "[map[calls:2 first:true name:list_files]]" {
		t.Errorf("lines: %v", lines)
	}
}
