package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// shippedInputs are the workflows that come with the program, and what a person fills in.
var shippedInputs = map[string]string{
	"content-pipeline": `{"topic":"green tea"}`,
	"compare-options":  `{"options":"tea, coffee"}`,
	"code-task":        `{}`,
	"expert-round":     `{}`,
	"service-triage":   `{}`,
	"data-report":      `{}`,
}

// killsOfFlow is how often the server is killed while one run is at work.
const killsOfFlow = 2

// flows plays the workflows that come with the program, with its own model.
type flows struct {
	*program
	root   api
	random *rand.Rand
	env    []string
}

func startFlows(t *testing.T) *flows {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("FUSEBOX_KILL_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	t.Logf("FUSEBOX_KILL_SEED=%d", seed)
	f := &flows{random: rand.New(rand.NewPCG(seed, seed)), env: append(withAdmin(), atOnce, "FUSEBOX_ADDR="+ownAddress())}
	f.program = startProgram(t, t.TempDir(), f.env...)
	f.root = f.admin()
	return f
}

// flow is a run by a workflow.
type flow struct {
	*flows
	conversation, run string
	// refuses counts down to the card of a step that is refused; -1 refuses none.
	refuses int
}

func (f *flows) begin(name string) *flow {
	f.t.Helper()
	chat := f.root.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	body := fmt.Sprintf(`{"content":"Green tea, please.","workflow":%q,"inputs":%s}`, name, shippedInputs[name])
	run := f.root.must("POST", "/api/v1/conversations/"+chat+"/messages", body)["runId"].(string)
	return &flow{flows: f, conversation: chat, run: run, refuses: -1}
}

// again is kill -9 and a new process on the same data, at the same address.
func (f *flows) again() {
	f.t.Helper()
	f.kill()
	f.program = startProgram(f.t, f.data, f.env...)
}

// answers decides what the run asks: yes, as it is, and what may run runs.
func (f *flow) answers() {
	f.t.Helper()
	for _, item := range f.root.must("GET", "/api/v1/approvals?status=pending&limit=200", "")["items"].([]any) {
		card := item.(map[string]any)
		if card["conversationId"] != f.conversation {
			continue
		}
		body := `{"decision":"approve"}`
		if options, _ := card["options"].([]any); card["kind"] == "question" && len(options) > 0 {
			body = fmt.Sprintf(`{"decision":"answer","answer":%q}`, options[0].(map[string]any)["label"])
		} else if card["kind"] == "question" {
			body = `{"decision":"answer","answer":"Corrected."}`
		}
		if f.refuses--; f.refuses == -1 {
			body = `{"decision":"reject"}`
		}
		if status, v := decides(f.root, card, body); status >= 300 {
			f.t.Fatalf("%s about %v: %d %v", body, card["message"], status, v)
		}
	}
}

// open reports whether the run has not ended, and decides what it asks.
func (f *flow) open() bool {
	f.t.Helper()
	s := f.root.must("GET", "/api/v1/runs/"+f.run, "")["status"]
	if s == "paused" {
		f.answers()
	}
	return s == "queued" || s == "running" || s == "paused"
}

// reaches plays until the log has some events, and reports whether the run had not ended before.
func (f *flow) reaches(events int) (open bool) {
	f.t.Helper()
	agenttest.Eventually(f.t, "a moment of the run", func() bool {
		open = f.open()
		return !open || len(f.root.events(f.conversation, 0)) >= events
	})
	return open
}

// outcome is what has come of a run that has ended: how, with which answer, and how many runs each
// agent has made.
type outcome struct {
	status, reason, answer string
	runs                   map[string]int
}

func (a outcome) equals(b outcome) bool {
	return a.status == b.status && a.reason == b.reason && a.answer == b.answer && maps.Equal(a.runs, b.runs)
}

// ends plays the run to its end, and wants all of its runs to have ended, once each, and its bill to be theirs.
func (f *flow) ends() outcome {
	f.t.Helper()
	agenttest.Eventually(f.t, "the end of the run", func() bool { return !f.open() })
	run := f.root.must("GET", "/api/v1/runs/"+f.run, "")
	reason, _ := run["stopReason"].(string)
	out := outcome{status: run["status"].(string), reason: reason, runs: map[string]int{}}
	var all, agents int64
	tokens := func(v any) int64 {
		u := v.(map[string]any)["usage"].(map[string]any)
		return int64(u["inputTokens"].(float64) + u["outputTokens"].(float64))
	}
	ended := map[any]int{}
	for _, e := range ofType(f.root.events(f.conversation, 0), "finish") {
		ended[e["runId"]]++
	}
	for _, e := range ofType(f.root.events(f.conversation, 0), "run-start") {
		one := f.root.must("GET", "/api/v1/runs/"+e["runId"].(string), "")
		all += tokens(one)
		if n := ended[e["runId"]]; n != 1 {
			f.t.Errorf("a run of %v has ended %d times, and is %v", one["agent"], n, one["status"])
		}
	}
	if tree, ok := run["tree"].(map[string]any); ok {
		for _, a := range tree["agents"].([]any) {
			line := a.(map[string]any)
			name, _ := line["agent"].(string)
			out.runs[name] = int(line["runs"].(float64))
			agents += tokens(line)
		}
		if tokens(tree) != all || agents != all {
			f.t.Errorf("the root's bill has %d tokens, its agents' %d, its runs' %d", tokens(tree), agents, all)
		}
	}
	list := f.root.must("GET", "/api/v1/conversations/"+f.conversation+"/messages", "")["items"].([]any)
	if last := list[len(list)-1].(map[string]any); last["role"] == "assistant" {
		out.answer, _ = last["content"].(string)
	}
	return out
}

// killed kills the server at random moments of a run, which comes to its end all the same.
func (f *flow) killed(times, length int) outcome {
	f.t.Helper()
	for at := 1; times > 0 && f.reaches(at+f.random.IntN(1+length/2)); times-- {
		f.again()
		at = len(f.root.events(f.conversation, 0)) + 1
	}
	return f.ends()
}

// TestShippedWorkflows plays each workflow that comes with the program to its end, kills the server while it
// is at work, and aborts it. Then it refuses one of its steps. FUSEBOX_FLOW_KILLS is how often each is killed, and
// FUSEBOX_KILL_SEED repeats the moments.
func TestShippedWorkflows(t *testing.T) {
	agenttest.NeedsFull(t, "it starts the program again for each kill")
	t.Parallel()
	kills := agenttest.Rounds(t, "FUSEBOX_FLOW_KILLS", 10)
	f := startFlows(t)
	wants, names := map[string]outcome{}, slices.Sorted(maps.Keys(shippedInputs))
	for _, name := range names {
		whole := f.begin(name)
		want := whole.ends()
		wants[name] = want
		length := len(f.root.events(whole.conversation, 0))
		if want.status != "finished" || want.answer == "" {
			t.Errorf("%s comes to %+v", name, want)
		}
		for left := kills; left > 0; left -= killsOfFlow {
			if got := f.begin(name).killed(min(left, killsOfFlow), length); !got.equals(want) {
				t.Errorf("%s comes to %+v after kills, want %+v", name, got, want)
			}
		}
		aborted := f.begin(name)
		if aborted.reaches(1 + f.random.IntN(1+length/2)) {
			f.root.must("POST", "/api/v1/runs/"+aborted.run+"/abort", "")
		}
		if got := aborted.ends(); got.status != "aborted" && !got.equals(want) {
			t.Errorf("%s comes to %+v when it is aborted", name, got)
		}
	}
	f.root.must("POST", "/api/v1/policy/rules", `{"tool":"delegate","action":"ask"}`)
	for _, name := range names {
		refused := f.begin(name)
		refused.refuses = f.random.IntN(3)
		got := refused.ends()
		skipped := name == "data-report" && got.answer != wants[name].answer // a correction is skipped
		if ledBy := name == "service-triage" && got.status == "finished"; !ledBy && !skipped && (got.status != "stopped" || got.reason != "rejected") {
			t.Errorf("%s comes to %+v when a step is refused", name, got)
		}
	}
	if ledger := administer(t, f.data, "ledger", "verify"); !strings.Contains(ledger, " 0 reservations open") {
		t.Errorf("the ledger says %s", ledger)
	}
}
