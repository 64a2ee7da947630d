package e2e

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTotalsAreEqualEverywhere: what the endpoint has billed is what the page,
// the file, the API and Prometheus say, to the last token and micro-USD.
func TestTotalsAreEqualEverywhere(t *testing.T) {
	t.Parallel()
	model, env := startMetered(t)
	h := &instance{program: startProgram(t, t.TempDir(), append(env, withAdmin()...)...)}
	admin := h.admin()
	people := map[string]api{"ana": {t, h.url, ""}, "rex": {t, h.url, ""}}
	for name, who := range people {
		addUser(t, h.data, name+"@example.org", "user")
		who.token = h.token(name + "@example.org")
		for _, m := range []string{"alpha", "beta", "gamma"} {
			id := who.must("POST", "/api/v1/conversations", `{"model":"`+m+`"}`)["id"].(string)
			for _, text := range []string{"please count for " + name, "say something for " + name} {
				if got := who.rests(who.post(id, text)); got["status"] != "finished" {
					t.Fatalf("run ended as %v", got)
				}
			}
		}
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	var want spent
	for _, part := range model.byModel {
		want.add(*part)
	}
	if want.lines < 20 || model.byModel["judge"] == nil || model.byModel["gamma"].cost != 0 {
		t.Fatalf("the models were hardly asked: %+v", model.byModel)
	}
	sameRows(t, admin, model, want)
	samePage(t, admin, want)
	samePrometheus(t, admin, model)
}

// sameRows compares every group of the API, as JSON and as a file, with the bill.
func sameRows(t *testing.T, admin api, model *meteredModel, want spent) {
	t.Helper()
	for _, group := range []string{"day", "user", "model", "conversation", "tool"} {
		var sum spent
		byKey := map[string]*spent{}
		status, raw := admin.call("GET", "/api/v1/spend?group="+group, "")
		var list struct {
			Items []struct {
				Key                                                                         string
				Lines, InputTokens, CachedTokens, OutputTokens, ReasoningTokens, CostMicros int64
			}
		}
		if err := json.Unmarshal(raw, &list); err != nil || status != http.StatusOK {
			t.Fatalf("%d %v", status, err)
		}
		for _, r := range list.Items {
			byKey[r.Key] = &spent{r.Lines, r.InputTokens, r.CachedTokens, r.OutputTokens, r.ReasoningTokens, r.CostMicros}
			sum.add(*byKey[r.Key])
		}
		inFile := fileSum(t, admin, group)
		if group == "tool" { // a call of a model may have called several tools
			sum.lines, inFile.lines = want.lines, want.lines
		}
		if sum != want || inFile != want {
			t.Errorf("by %s: %+v in the API, %+v in the file, want %+v", group, sum, inFile, want)
		}
		if parts, ok := map[string]map[string]*spent{"model": model.byModel, "user": model.byPerson}[group]; ok {
			if diff := cmp.Diff(parts, byKey, cmp.AllowUnexported(spent{})); diff != "" {
				t.Errorf("by %s: %s", group, diff)
			}
		}
	}
}

// fileSum adds up the CSV of the page.
func fileSum(t *testing.T, admin api, group string) (sum spent) {
	t.Helper()
	_, raw := admin.call("GET", "/admin/spend.csv?group="+group, "")
	rows, err := csv.NewReader(strings.NewReader(string(raw))).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v %s", err, raw)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, row := range rows[1:] {
		of := func(name string) int64 { return number(t, row[at[name]]) }
		sum.add(spent{of("lines"), of("inputTokens"), of("cachedTokens"), of("outputTokens"), of("reasoningTokens"), of("costMicros")})
	}
	return sum
}

// samePage reads the exact figures of the page: its totals, and each of its tables.
func samePage(t *testing.T, admin api, want spent) {
	t.Helper()
	status, raw := admin.call("GET", "/admin/spend", "")
	if status != http.StatusOK {
		t.Fatalf("the page answers %d", status)
	}
	html := string(raw)
	for label, n := range map[string]int64{"Cost": want.cost, "Input tokens": want.input, "Output tokens": want.output} {
		m := regexp.MustCompile(`<dt>` + label + `</dt><dd class="num" title="(\d+)`).FindStringSubmatch(html)
		if m == nil || number(t, m[1]) != n {
			t.Errorf("%s on the page: %q, want %d", label, m, n)
		}
	}
	for _, group := range []string{"user", "model", "conversation", "tool"} {
		_, table, found := strings.Cut(html, `<h2 id="by-`+group+`">`)
		table, _, _ = strings.Cut(table, `</table>`)
		var sum int64
		for _, m := range regexp.MustCompile(`title="(\d+) micro-USD"`).FindAllStringSubmatch(table, -1) {
			sum += number(t, m[1])
		}
		if !found || sum != want.cost {
			t.Errorf("the table by %s adds up to %d micro-USD, want %d", group, sum, want.cost)
		}
	}
}

// samePrometheus compares the counters of /metrics with the bill.
func samePrometheus(t *testing.T, admin api, model *meteredModel) {
	t.Helper()
	status, raw := admin.call("GET", "/metrics", "")
	if status == http.StatusNotFound {
		t.Log("there are no metrics to compare")
		return
	}
	got := map[string]int64{}
	for line := range strings.Lines(string(raw)) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), "} "); found && strings.HasPrefix(name, "fusebox_") {
			f, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			got[name+"}"] = int64(f)
		}
	}
	for name, part := range model.byModel {
		tokens := `fusebox_tokens_total{gen_ai_request_model="` + name + `",gen_ai_token_type="`
		for key, want := range map[string]int64{
			tokens + `input"}`: part.input, tokens + `cached_input"}`: part.cached, tokens + `output"}`: part.output, tokens + `reasoning"}`: part.reasoning,
			`fusebox_cost_micro_usd_total{gen_ai_request_model="` + name + `"}`: part.cost,
		} {
			if got[key] != want {
				t.Errorf("%s is %d, want %d", key, got[key], want)
			}
		}
	}
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
