package page

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
)

// TestGoldenTools compares the parts of /admin/tools with their HTML.
func TestGoldenTools(t *testing.T) {
	t.Parallel()
	allow, ask := Verdict{"allow", "good"}, Verdict{"asks", "warm"}
	rule := PolicyRow{
		ID: "r1", Name: "rule:r1", Tool: "run_shell", Action: allow, Says: []string{"Where command is like “go test *”."}, Reason: "Tests <may> run.",
		By: "ada@example.org", At: noon, Until: noon.Add(time.Hour), Approval: "a1",
	}
	forGood := rule
	forGood.Until, forGood.Approval = time.Time{}, ""
	ended := rule
	ended.Ended = "revoked by ada@example.org"
	config := PolicyRow{ID: "config:x", Name: "config:x", Tool: "any tool", Action: Verdict{"deny", "tripped"}}
	golden(t, map[string]templ.Component{
		"tools": toolList(ToolList{Total: 30, Found: 1, Query: "<run>", Groups: []ToolGroup{{Label: "Built-in", Asks: 1, Open: true, Rows: []ToolRow{{
			Name: "run_shell", About: "Runs a <command>.", Effect: "exec", Risk: "high", Tone: "tripped", Traits: []string{"polling"},
			Usual: ask, In: "only in “Ask before any change”",
		}}}}}),
		"tools-none":           toolList(ToolList{}),
		"tools-no-match":       toolList(ToolList{Total: 30, Query: "<none>"}),
		"walls":                WallTable(Walls{By: "Landlock 7", Rows: []WallRow{{"files", "other <files>", true}, {"network", "the network", false}}}),
		"walls-none":           WallTable(Walls{}),
		"policy-rule":          PolicyItem("c", rule),
		"policy-rule-for-good": PolicyItem("c", forGood),
		"policy-rule-ended":    PolicyItem("", ended),
		"policy-rule-config":   PolicyItem("", config),
		"policy-rules":         PolicyRules("c", ToolsProps{Active: []PolicyRow{rule}, Config: []PolicyRow{config}, Ended: []PolicyRow{ended}}),
		"policy-rules-none":    PolicyRules("c", ToolsProps{}),
		"policy-form": policyForm("c", PolicyForm{
			ID: "r1", Tool: "run_*", Args: "command = \"x\"", Priority: "many", Actions: []Choice{{"ask", "ask", true}, {"allow", "allow", false}},
			Tools: []string{"run_shell"}, Errors: map[string]string{"priority": "is not a whole number", "args": "names a field twice"},
		}),
		"policy-try": TryOutcome(TryResult{
			Action: ask, Risk: Verdict{"high risk", "tripped"}, Rule: "rule:r1", Href: "#rule-r1", Reason: "Why <not>.", Pattern: "command = go test *",
		}),
	})
}

// TestLongListsFold: what is beyond the first items is behind a button, and nothing is lost.
func TestLongListsFold(t *testing.T) {
	t.Parallel()
	for rows, want := range map[int]string{listed: "", listed + 1: "Show 1 more"} {
		var html strings.Builder
		list := longList("rule-list", make([]PolicyRow, rows), false, func(r PolicyRow) templ.Component { return PolicyItem("", r) })
		if err := list.Render(t.Context(), &html); err != nil {
			t.Fatal(err)
		}
		first, rest, _ := strings.Cut(html.String(), "<details")
		if strings.Count(first, "<li") != listed || strings.Count(rest, "<li") != rows-listed || !strings.Contains(rest, want) {
			t.Errorf("%d rows: %d are shown, %d folded", rows, strings.Count(first, "<li"), strings.Count(rest, "<li"))
		}
	}
}
