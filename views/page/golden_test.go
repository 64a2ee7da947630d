package page

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestGolden compares components of their own with their HTML.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden(t, map[string]templ.Component{
		"inbox-item": InboxItem(InboxRow{
			ID: "a1", Icon: "bolt", What: "Run a command", Gist: "rm -rf build/ <script>", Mono: true, Risk: "critical", RiskWord: "critical", Tone: "tripped",
			WaitsFor: "Waiting for another reviewer", Where: "Cleaning · bob@example.com", Asked: noon, Expires: noon.Add(time.Hour), Late: true,
		}),
		"inbox-item-settled": InboxItem(InboxRow{
			ID: "a2", Icon: "loop", What: "Loop breaker tripped", Risk: "medium", Tone: "warm", Where: "Weather · bob@example.com", Asked: noon, Settled: "Resumed by ana@example.com",
		}),
		"inbox-item-full": InboxItem(InboxRow{
			ID: "a3", Icon: "edit", What: "Write <x>", Gist: `content="y"`, Says: `Write <x> content="y"`, Mono: true, Risk: "medium", RiskWord: "medium", Tone: "warm", Where: "Notes · bob@example.com", Path: "main chat → lead → hand", Asked: noon, Expires: noon.Add(time.Hour), Unread: true,
			Marks:   []InboxMark{{"accent", "1 of 2 approved by ana@example.com"}, {"", "asked again"}},
			Looking: "ana@example.com is looking", Spent: "4.5k tokens, $0.0050", Pick: "a3:2:hash",
		}),
		"inbox-group": inboxGroup(InboxGroup{
			{ID: "a4", Icon: "edit", What: "Write x", Says: "Write <x>", Risk: "medium", RiskWord: "medium", Tone: "warm", Where: "Notes", Owner: "bob@example.com", Asked: noon, Pick: "a4:1:hash"},
			{ID: "a5", Icon: "edit", What: "Write x", Says: "Write <x>", Risk: "medium", RiskWord: "medium", Tone: "warm", Where: "Others", Owner: "bob@example.com", Asked: noon, Unread: true, Pick: "a5:1:hash"},
		}),
		"run-tree": runTree(RunTree{
			Rows: []RunTreeRow{
				{Agent: "main chat", Href: "/runs/r", Status: "paused", Tone: "warm", Steps: "2", Tokens: "4.5k", ExactTokens: "4500", Cost: "$0.01", ExactCost: "$0.010000", Time: "3 s"},
				{Agent: "<lead>", Href: "/runs/l", Depth: 1, Here: true, Status: "running", Tone: "accent", Steps: "1", Tokens: "1k", ExactTokens: "1000", Cost: "$0.01", ExactCost: "$0.010000", Time: "1 s"},
				{Agent: "hand", Href: "/runs/h", Depth: 2, Status: "stopped", Tone: "tripped", Ended: "stopped: step limit", Steps: "1", Tokens: "1k", ExactTokens: "1000", Cost: "$0.01", ExactCost: "$0.010000", Time: "1 s"},
			},
			Agents: []RunTreeRow{{Agent: "<lead>", Runs: 1, Steps: "1", Tokens: "1k", ExactTokens: "1000", Cost: "$0.01", ExactCost: "$0.010000", Time: "1 s"}},
			Whole:  RunTreeRow{Runs: 3, Steps: "4", Tokens: "6.5k", ExactTokens: "6500", Cost: "$0.03", ExactCost: "$0.030000", Time: "5 s"},
		}),
		"again": againForm("c", AgainProps{
			Run: "r", Step: "draft",
			Rerun: []string{"draft", "check"}, TakenOver: []string{"facts"}, MoreEffects: 2,
			Inputs: []WorkflowInput{
				{Field: Field{ID: "a", Name: "input.a", Label: "For whom", Value: "All", Error: "Too long.", Required: true}},
				{Field: Field{ID: "b", Name: "input.b", Label: "Notes", Value: "One\nTwo"}, Lines: true}, {Field: Field{Name: "input.c", Label: "Short"}, Box: true, Ticked: true},
			},
			Effects: []AgainEffect{{Tool: "write_file", What: "<notes>.md", Run: "/runs/w"}, {Tool: "run_shell", Run: "/runs/w"}},
		}),
		"again-whole": againForm("c", AgainProps{Run: "r", Step: "facts", Rerun: []string{"facts"}}),
		"figure": Figure(Chart{
			Title: "Cost per day", Desc: "$0.40 in total.", Ticks: []string{"$0.40", "$0.20", "$0.00"}, Marks: []ChartMark{{"25%", "1 Mar"}, {"75%", "2 Mar"}},
			Series: []ChartSeries{{Name: "demo", Class: "series-1", Total: "$0.40", Path: "M45 0h410v240h-410z"}},
			Columns: []ChartColumn{
				{X: "0", Width: "500", Label: "1 Mar", Hint: "1 Mar: $0.40", Total: "$0.40", Cells: []string{"$0.40"}},
				{X: "500", Width: "500", Label: "2 Mar", Hint: "2 Mar: $0.00", Total: "$0.00", Cells: []string{"$0.00"}, Empty: true},
			},
		}),
		"figure-empty": Figure(Chart{Title: "Cost per day", Desc: "Nothing was spent in this time."}),
		"trace": TraceTable(Trace{
			Axis: []string{"0.0 s", "1.0 s", "2.0 s", "3.0 s", "1:00:00"}, Folded: true, More: 3,
			Rows: []TraceRow{
				{Kind: "model", Step: "1", Label: "Model call", Note: "demo", State: "tool_calls", X: "0", W: "400", Took: "2.0 s", Start: "0.0 s", Tokens: "4.5k", Hint: "4k in", Cost: "$0.0042"},
				{Kind: "guard", Step: "1", Label: "generic_repeat, critical", Bad: true, X: "400", W: "6", Start: "2.0 s"},
				{Kind: "wait", Step: "1", Label: "Waits for a person", X: "400", W: "120", Took: "59:00", Start: "2.0 s", Href: "/approvals/a1"},
			},
		}),
		"deliveries": Deliveries("c", "hooks.example.com", []agent.Delivery{
			{
				ID: "d3", Event: agent.NotifyRequested, ApprovalID: "a1", Channel: agent.ChannelEmail, Receiver: "ana@example.com", State: agent.DeliveryPending,
				Attempts: 2, Problem: "The mail server did not take it: <b>busy</b>", CreatedAt: noon, NextAt: noon.Add(time.Minute),
			},
			{ID: "d2", Event: agent.NotifyRequested, ApprovalID: "a1", Channel: agent.ChannelWebhook, State: agent.DeliverySent, Attempts: 1, CreatedAt: noon, SentAt: noon},
			{ID: "d1", Event: "test", Channel: agent.ChannelWebhook, State: agent.DeliveryDead, Attempts: 12, Problem: "The receiver answered 410 Gone", CreatedAt: noon},
		}),
		"alerts": AlertList([]agent.Alert{
			{ID: "x1", Kind: agent.AlertBudgetReached, Message: "The budget of the group <b>a</b> is used up.", Path: "/admin/budgets", At: noon},
			{ID: "x2", Kind: agent.AlertBudgetWarning, Message: "80 % of the budget of the run is used.", Path: "/runs/r1", At: noon, Seen: true},
		}),
		"field-with-error": input(Field{Name: "code", Label: "Code", Value: "\"x", Hint: "From the log.", Error: "Not this one.", Required: true}),
		"confirm": confirm(Confirm{
			Action: "/settings/tokens/t1/delete", CSRF: "c", Ask: "Delete", Question: "Sure?", Do: "Delete it", Fields: []Hidden{{"disabled", "true"}},
		}),
	})
}

// golden compares components with the HTML in testdata.
func golden(t *testing.T, components map[string]templ.Component) {
	t.Helper()
	for name, c := range components {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := c.Render(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file) //nolint:gosec // the name comes from the table above
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
