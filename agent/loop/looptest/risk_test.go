package looptest

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/policy"
)

// TestRiskModel: a model's opinion raises the risk of a call, never lowers it,
// is asked once for an answer, and costs a line of the ledger. One that talks
// nonsense changes nothing.
func TestRiskModel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tool, says string
		risk             agent.Risk // of the approval; "" is none
	}{
		{"raises", "save", `{"risks":[{"id":"c1","risk":"critical","reason":"It overwrites the books."}]}`, agent.RiskCritical},
		{"does not lower", "run_shell", `{"risks":[{"id":"c1","risk":"low","reason":"Harmless."}]}`, agent.RiskHigh},
		{"is asked about writes that pass by themselves", "send", `{"risks":[{"id":"c1","risk":"high","reason":"It sends mail."}]}`, agent.RiskHigh},
		{"lets pass what it finds low", "send", `{"risks":[{"id":"c1","risk":"low","reason":"Fine."}]}`, ""},
		{"nonsense", "save", `very risky`, agent.RiskMedium},
		{"a risk that is none", "send", `{"risks":[{"id":"c1","risk":"huge","reason":"?"}]}`, ""},
		{"another call's id", "send", `{"risks":[{"id":"c9","risk":"critical","reason":"?"}]}`, ""},
		{"nothing that may do harm is not judged", "look", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			turns := []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("c1", tt.tool, `{"command":"ls"}`)}}}
			if tt.says != "" {
				turns = append(turns, agenttest.Turn{Text: tt.says, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 50, OutputTokens: 5}}})
			}
			w := newWorld(t, turns...)
			w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "send", Effect: agent.EffectNetwork, FixedHost: true})
			w.runner.Loop.RiskJudge, w.runner.Loop.Settings.RiskModel = policy.ModelJudge{}, "small"
			run := w.post("go")
			asked := 0
			for _, r := range w.model.Requests() {
				if r.Model == "small" {
					asked++
				}
			}
			steps, err := w.store.Steps(t.Context(), run.ID)
			w.must(err)
			lines := 0
			for _, s := range steps {
				if s.Kind == agent.StepRisk {
					lines++
				}
			}
			if want := min(len(tt.says), 1); asked != want || lines != want {
				t.Errorf("the model was asked %d times with %d lines in the ledger, want %d", asked, lines, want)
			}
			if tt.risk == "" {
				if run.Status != agent.StatusFinished {
					t.Fatalf("the run is %s, want finished", run.Status)
				}
				return
			}
			card := w.card()
			if card.Risk != tt.risk {
				t.Errorf("the card is of %s risk, want %s: %s", card.Risk, tt.risk, card.Message)
			}
			if tt.name == "raises" && !strings.Contains(card.Message, "It overwrites the books.") {
				t.Errorf("the card does not say why: %s", card.Message)
			}
		})
	}
}
