package part

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var nasty = `<script>alert("1")</script> & 'q'`

func toolAsk() Approval {
	return Approval{
		ID: "1", DOM: "a-1", Kind: "tool", Risk: "high", Head: "Run run_shell?", Why: nasty, Args: `{"command":"ls"}`, ArgsHash: "abc",
		Generation: 2, CSRF: "tok", Expires: noon, MayDecide: true,
		Call: &CallAsked{Tool: "run_shell", Effect: "runs a program", Rule: "mode default", Because: "Rule: programs", Command: "ls " + nasty, Cwd: "w"},
	}
}

// asks are the cards of all kinds, pending, settled and for readers.
func asks() map[string]templ.Component {
	tool := toolAsk()
	reader := tool
	reader.MayDecide = false
	critical := tool
	critical.Risk, critical.Critical, critical.Alone = "critical", true, true
	settled := tool
	settled.Settled = &Settled{Tone: "tripped", Verb: "Rejected", By: "ana@example.com", Comment: nasty, At: noon}
	write := tool
	write.Call = &CallAsked{Tool: "write_file", Diff: []DiffLine{{"@", "@@ -1 +1 @@"}, {"-", "old"}, {"+", nasty}, {" ", "same"}}}
	after := tool
	after.Call = &CallAsked{
		Tool: "run_shell", Command: "sh run.sh",
		Before: []EarlierCall{
			{Tool: "write_file", Diff: []DiffLine{{"+", nasty}}}, {Tool: "run_shell", Command: nasty, Asks: true},
		},
		Files: FilesShown{Decide: true, Names: []string{"run.sh", nasty}, More: 3, Changed: []string{"run.sh", nasty + " (new)"}, AllowedBy: "rex@example.com", AllowedAt: noon},
	}
	after.Reach = Reach{Always: true, Days: 30, Person: "ana@example.com", Pattern: "command = ls *", PatternField: `{"command":"ls *"}`}
	return map[string]templ.Component{
		"approval-after":    ApprovalCard(after),
		"approval-tool":     ApprovalCard(tool),
		"approval-reader":   ApprovalCard(reader),
		"approval-critical": ApprovalCard(critical),
		"approval-settled":  ApprovalCard(settled),
		"approval-write":    ApprovalCard(write),
		"approval-loop": ApprovalCard(Approval{
			ID: "2", DOM: "a-2", Kind: "loop", Risk: "medium", Head: "Loop breaker tripped", Why: "8 times.", Generation: 1, CSRF: "tok", MayDecide: true,
			Options: []Choice{
				{ID: "plain", Label: "Go on", Hint: "It is executed."}, {ID: "allow_more", Label: "Allow more", Hint: "Then as before.", Counts: true},
				{ID: "finish_now", Label: "Finish now"},
			},
			Loop: &LoopShown{
				Name: "The same call in a row", Length: "8 calls, trips at 8", Cost: "3 calls cost 13.5k tokens, $0.03",
				Detector: "generic_repeat", Also: []string{"no_progress (8): the same"},
				Calls: []LoopCall{
					{N: 1, Tool: "calculator", Args: []Piece{{Text: nasty}}, Result: []Piece{{Text: "try "}, {Text: nasty, New: true}}, Tokens: "4.5k", Cost: "$0.01"},
					{N: 2, Tool: "calculator", SameArgs: true, SameResult: true, Tokens: "4.5k", Cost: "$0.01"},
					{N: 3, Tool: "calculator", SameArgs: true, Blocked: true, Tokens: "4.5k", Cost: "$0.01"},
				},
			},
		}),
		"approval-loop-long": ApprovalCard(Approval{
			ID: "6", DOM: "a-6", Kind: "loop", Risk: "medium", Head: "Loop breaker tripped", Why: "Round and round.", Generation: 1, CSRF: "tok", MayDecide: true,
			Draft:   Draft{Answer: "allow_more", N: "99", Errors: map[string]string{"n": "is 99; allowed: 1 to 20"}},
			Options: []Choice{{ID: "plain", Label: "Go on"}, {ID: "allow_more", Label: "Allow more", Counts: true}},
			Loop: &LoopShown{
				Name: "Calls that go round", Length: "4 rounds, trips at 4", Detector: "cycle",
				Calls:  []LoopCall{{N: 1, Tool: "look", Args: []Piece{{Text: "{}"}}, Result: []Piece{{Text: "a"}}}},
				Folded: []LoopCall{{N: 2, Tool: "look", SameArgs: true, SameResult: true}},
				Last:   []LoopCall{{N: 3, Tool: "look", SameArgs: true, Blocked: true}},
			},
		}),
		"approval-chant": ApprovalCard(Approval{
			ID: "7", DOM: "a-7", Kind: "loop", Risk: "medium", Head: "Loop breaker tripped", Why: "Again and again.", Generation: 1, CSRF: "tok", MayDecide: true, AboutRun: true,
			Options: []Choice{{ID: "plain", Label: "Go on"}, {ID: "finish_now", Label: "Finish now"}},
			Loop:    &LoopShown{Name: "An answer that repeats itself", Length: "5 times, trips at 5", Detector: "chanting", Text: nasty, Place: "It begins 7 characters into the answer, after " + nasty},
		}),
		"approval-budget": ApprovalCard(Approval{
			ID: "3", DOM: "a-3", Kind: "budget", Risk: "high", Head: "No room in the token budget", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			Budget: &BudgetShown{
				Name: "This run", NextTokens: "4.5k", NextMoney: "$0.02", RaiseTokens: "200000",
				Meters: []BudgetMeter{{Name: "Tokens", Used: "198k", Limit: "200k", Left: "2k", Percent: 99, Level: Warm}},
			},
		}),
		"approval-budget-shared": ApprovalCard(Approval{
			ID: "8", DOM: "a-8", Kind: "budget", Risk: "high", Head: "No room in the spending budget", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			Draft: Draft{RaiseUSD: "much", Errors: map[string]string{"raise_usd": "is not an amount of dollars"}},
			Budget: &BudgetShown{
				Name: "Everybody, this month", NextTokens: "41.2k", NextMoney: "$0.12", Model: nasty, RaiseUSD: "1.00", Reset: &BudgetReset{Text: "1 December 00:00", At: noon},
				Meters: []BudgetMeter{{Name: "Money", Used: "$10.00", Limit: "$10.00", Held: "$0.20", Raised: "$1.00", Left: "$0.00", Percent: 100, HeldPercent: 2, Level: Tripped}},
			},
		}),
		"approval-budget-reviewer": ApprovalCard(Approval{
			ID: "9", DOM: "a-9", Kind: "budget", Risk: "high", Head: "A model without a price", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			NoApprove: "Only an admin can raise this budget.",
			Budget:    &BudgetShown{Name: "Group Research, today", NextTokens: "41.2k", Unpriced: true, Model: "new-model", Meters: []BudgetMeter{{Name: "Money", Percent: 20, Level: Cool}}},
		}),
		"approval-question": ApprovalCard(Approval{
			ID: "4", DOM: "a-4", Kind: "question", Risk: "low", Head: "The agent asks", Why: "Which city?", Generation: 1, CSRF: "tok", MayDecide: true,
		}),
		"approval-outcome": ApprovalCard(Approval{
			ID: "5", DOM: "a-5", Kind: "outcome", Risk: "high", Head: "Did run_shell happen?", Why: "The server stopped.", Args: "{}", Generation: 1,
			CSRF: "tok", MayDecide: true, Call: &CallAsked{Tool: "run_shell", Started: noon, Key: "r/c"},
		}),
	}
}

func parts() map[string]templ.Component {
	return map[string]templ.Component{
		"said": Said(UserMessage{ID: "m-1", Text: nasty + "\nsecond line", At: noon}),
		"answer": AnswerView(Answer{
			ID: "m-2", Open: true, Waits: []Wait{{ID: "m-2-w0", Text: "Retry 1 of 10 after status 429"}, {ID: "m-2-w1", Text: nasty, Until: noon}},
			Reasoning: Reasoning{ID: "m-2-r", Text: nasty, Took: "3 s"},
			Blocks:    []Block{{ID: "m-2-b0", HTML: "<p>sanitised</p>"}, {ID: "m-2-b1", Live: true, Language: "go", Code: nasty}},
			Groups:    []ToolGroup{{Tools: []Tool{{ID: "t-1", Name: "get_weather", Label: "being written", Args: `{"ci`}}}},
		}),
		"answer-empty":   AnswerView(Answer{ID: "m-3", Reasoning: Reasoning{ID: "m-3-r"}}),
		"reasoning-open": ReasoningView(Reasoning{ID: "m-4-r", Text: "Hm", Open: true}),
		"tool-running":   ToolCard(Tool{ID: "t-2", Name: nasty, State: "executing", Label: "running", Object: nasty, Args: "{}", Live: "line 1\n"}),
		"tool-success":   ToolCard(Tool{ID: "t-3", Name: "calculator", State: "success", Label: "done", Object: "1+1", Gives: "2", Args: "{}", Result: nasty, Took: "0.4 s", Cut: "28k more bytes", Rest: "/runs/r/text?call=c&of=result"}),
		"tool-error":     ToolCard(Tool{ID: "t-4", Name: "read_file", State: "error", Label: "failed", Args: "{}", Result: "no such file", Failed: true}),
		"tool-group": ToolRows("m-1-t", []ToolGroup{{
			ID: "t-6-g", Name: "calculator", Count: 3, Objects: "1+1, " + nasty, State: "success", Label: "done", Took: "2.1 s",
			Tools: []Tool{{ID: "t-6", Name: "calculator", Object: "1+1"}, {ID: "t-7", Name: "calculator", Object: nasty}, {ID: "t-8", Name: "calculator"}},
		}}),
		"tool-waits":  ToolCard(Tool{ID: "t-5", Name: "run_shell", State: "awaiting_approval", Label: "waits for approval", Args: "{}"}),
		"line-notice": LineView(Line{ID: "e-1", Icon: "info", Text: nasty}),
		"line-summary": LineView(Line{ID: "e-7", Icon: "info", Text: "Earlier messages were summarised.", Detail: Detail{
			HTML: "<p>What was said.</p>", Cut: []CutResult{{Href: "#t-1", Tool: nasty, Size: "4,012 characters"}},
		}}),
		"line-guard":         LineView(Line{ID: "e-2", Tone: "warm", Icon: "warning", Head: "Breaker warning.", Text: nasty}),
		"failure":            FailureView(Failure{ID: "e-3", Text: nasty, Advice: "Send it again in a while.", Again: "/runs/r1/again", Edit: true, CSRF: "token"}),
		"failure-final":      FailureView(Failure{ID: "e-3", Text: nasty, Advice: "Choose another model.", Change: true, Edit: true, CSRF: "token"}),
		"end-good":           EndLine(End{ID: "e-4", Tone: "good", Icon: "check", Head: "Done", Steps: "2 steps", Tokens: "9k tokens", Cost: "$0.02", Took: "3.9 s", RunHref: "/runs/r"}),
		"end-tripped":        EndLine(End{ID: "e-5", Tone: "tripped", Icon: "bolt", Head: "Stopped", Text: nasty, Steps: "1 step", Tokens: "9 tokens (estimated)", Cost: "$0.0042", RunHref: "/runs/r"}),
		"run-state-running":  RunStateView(RunState{RunID: "r", Status: "running", Label: "Working…", MayStop: true, CSRF: "tok"}),
		"run-state-paused":   RunStateView(RunState{RunID: "r", Status: "paused", Label: "Waits for a decision"}),
		"run-state-aborting": RunStateView(RunState{RunID: "r", Status: "paused", MayStop: true, Ends: noon, Undo: "/approvals/a/undo", CSRF: "tok"}),
		"run-state-question": RunStateView(RunState{RunID: "r", Status: "paused", Label: "Waits", MayStop: true, Question: "a", CSRF: "tok"}),
		"run-state-finished": RunStateView(RunState{RunID: "r", Status: "finished", MayStop: true}),
		"fuses": FusePanel("fuses", []Fuse{
			{Key: "loop", Name: "LOOP", Means: "Same calls", Then: "It pauses.", Value: "8", Limit: "8", Lit: 8, Level: Tripped, Href: "#a-1"},
			{Key: "tokens", Name: "TOKENS", Means: "Tokens", Whose: nasty, Value: "170k", Limit: "200k", Lit: 6, Level: Warm, Ways: []FuseWay{{Href: "/settings", Label: "Your usage"}}},
			{Key: "cost", Name: "COST", Means: "Money", Value: "$0.08", Level: Cool},
			{Key: "time", Name: "TIME", Means: "Time", Value: "1:42", Limit: "10:00", Lit: 1, Level: Cool, Since: noon},
		}),
		"fuses-quiet": FusePanel("fuses", []Fuse{{Key: "loop", Name: "LOOP", Means: "Same calls", Value: "1", Limit: "8", Lit: 1, Level: Cool}}),
		"chat-list": ChatList([]ChatGroup{{Label: "Today", Items: []ChatItem{
			{ID: "1", Title: nasty, Active: true, Status: "running"}, {ID: "2", Title: "Waits", Status: "paused"}, {ID: "3", Title: "Quiet"},
		}}}, ""),
		"chat-list-empty":   ChatList(nil, ""),
		"chat-list-nothing": ChatList(nil, nasty),
		"pending-count":     PendingCount(2),
		"pending-none":      PendingCount(0),
		"bell-alerts": BellMenu("bell", Bell{
			Unread: 1, Count: "8", More: 2, Unseen: 7,
			Items: []BellItem{
				{ID: "a1", What: "run_shell", Risk: "high", Who: "bob@example.com", Asked: noon, Unread: true},
				{ID: "a2", What: "write_file", Risk: "low", Who: "ana@example.com", Asked: noon, Siblings: 200},
			},
			Alerts: []BellAlert{
				{ID: "x1", Kind: "used up", Tone: "tripped", Text: nasty, At: noon}, {ID: "x2", Kind: "budget", Tone: "warm", Text: "80 %", At: noon},
			},
		}),
		"bell-none": BellMenu("bell", Bell{Count: "0"}),
		"empty":     Empty("inbox", "Nothing waits", "New ones arrive by themselves."),
	}
}

// TestGolden compares every part with its HTML; run with -update to write it anew.
func TestGolden(t *testing.T) {
	t.Parallel()
	all := parts()
	for name, c := range asks() {
		all[name] = c
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := c.Render(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(got.Bytes(), []byte("<script")) || bytes.Contains(got.Bytes(), []byte(" style=")) {
				t.Errorf("script or inline style in %s", got.String())
			}
			file := filepath.Join("testdata", name+".golden.html")
			html := bytes.ReplaceAll(got.Bytes(), []byte("><"), []byte(">\n<"))
			if *update {
				if err := os.WriteFile(file, html, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(html)); diff != "" {
				t.Errorf("-golden +got:\n%s", diff)
			}
		})
	}
}

func TestLit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		used, limit int64
		want        int
	}{{0, 8, 0}, {1, 1_000_000, 1}, {5, 8, 5}, {7, 8, 7}, {999, 1000, 7}, {8, 8, 8}, {9, 8, 8}, {3, 0, 0}, {-1, 8, 0}} {
		if got := Lit(row.used, row.limit); got != row.want {
			t.Errorf("Lit(%d, %d) = %d, want %d", row.used, row.limit, got, row.want)
		}
	}
}
