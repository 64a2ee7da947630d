package page

import (
	"testing"

	"github.com/a-h/templ"
)

// TestGoldenGuards compares the parts of /admin/guards, and what the breakers add
// to other pages, with their HTML.
func TestGoldenGuards(t *testing.T) {
	t.Parallel()
	says := []string{"The same call again is no loop as long as its result changes."}
	rule := RuleRow{ID: "r1", Tool: "check_job<b>", Says: says, By: "bob@example.com", At: noon, Approval: "a1"}
	same := rule
	same.Replaces, same.Trial = says, "In the last 30 days 2 runs would newly trip, 1 no longer."
	other := rule
	other.Replaces = []string{"A person is asked at 9 equal calls."}
	written := rule
	written.Approval = ""
	golden(t, map[string]templ.Component{
		"detectors": DetectorTable("c", []DetectorRow{
			{
				Title: "Same call repeated", Name: "generic_repeat", Catches: "The same call.", On: true, Reminded: "4", Paused: "2", Stopped: "1", WouldHave: "7",
				Tokens: "46.6k", Cost: "$0.0071", SavedTokens: "183k", SavedCost: "$0.03",
			},
			{Title: "Calls in a repeating cycle", Name: "cycle", Catches: "Three to ten calls.", Reminded: "0", Paused: "0", Stopped: "0", WouldHave: "7", Tokens: "0", SavedTokens: "0"},
		}),
		"detectors-none":       DetectorTable("c", nil),
		"rule-proposed":        ProposedRule("c", other),
		"rule-proposed-tried":  ProposedRule("c", same),
		"rule-in-force":        ActiveRule("c", rule),
		"rule-in-force-by-one": ActiveRule("c", written),
		"numbers": NumberFields(NumberGroup{Detector: "max_steps", Numbers: []Number{
			{
				Key: "guard.max_steps", Help: "Model calls of one run", Default: "50", Allowed: "a whole number from 1 to 10000", Value: "\"many", Most: "80",
				WasValue: "40", Whole: true, Conversations: true, ValueError: "is not allowed", MostError: "nor this",
			},
			{Key: "guard.max_duration", Help: "Running time", Default: "10m0s", Allowed: "a duration"},
		}}),
		"backtest": BacktestOutcome(BacktestResult{
			Summary: "Of 12 runs 1 would newly trip, 0 no longer, 3 as before.", Note: "There were more.",
			New: BacktestList{ID: "newly-trips", Title: "Newly trips", Empty: "None.", More: 2, Runs: []BacktestRun{
				{ID: "r1", Title: "Weather <b>", Owner: "bob@example.com", Step: "6", Detector: "generic_repeat", Message: "look was called 6 times."},
			}},
			Gone: BacktestList{ID: "no-longer", Title: "Trips no longer", Empty: "No run would be let off."},
		}),
		"verdicts": VerdictTable([]VerdictRow{
			{Step: "3", Detector: "generic_repeat", Level: "reminded", Tone: "warm", Message: "look <b> was called 3 times."},
			{Step: "4", Detector: "cycle", Level: "would have paused (switched off)", Message: "They go round."},
		}),
		"verdicts-none":       VerdictTable(nil),
		"not-loop":            NotLoopForm("c", NotLoop{Action: "/approvals/a1/not-a-loop", Proposes: "look"}),
		"not-loop-about-text": NotLoopForm("c", NotLoop{Action: "/approvals/a1/not-a-loop"}),
		"not-loop-noted":      NotLoopForm("c", NotLoop{Noted: true, Proposes: "look"}),
		"not-loop-reader":     NotLoopForm("c", NotLoop{Proposes: "look"}),
	})
}
