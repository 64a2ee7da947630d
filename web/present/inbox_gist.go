package present

import (
	"fmt"
	"strings"

	"fusebox/agent"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

// Bounds of what a row shows of a call: its beginning and its end.
const (
	gistHead = 170
	gistTail = 60
)

// InboxGist is the part that matters: the command, the arguments or the
// numbers. Evidence that does not decode gives no gist; the approval's own page
// shows what there is.
func InboxGist(tr *text.Printer, a agent.Approval) (gist string, mono bool) {
	switch a.Kind {
	case agent.KindLoop:
		ev, err := a.LoopEvidence()
		if err != nil || len(ev.Calls) == 0 {
			return "", false
		}
		last := ev.Calls[len(ev.Calls)-1]
		gist = fmt.Sprintf("%s × %d", last.ToolName, ev.Count)
		if args := jsontext.Short(string(last.Args)); args != "" {
			gist += ": " + args
		}
		return MiddleCut(tr, gist), true
	case agent.KindBudget:
		ev, err := a.BudgetEvidence()
		if err != nil {
			return "", false
		}
		return budgetGist(tr, ev), false
	case agent.KindQuestion: // the question itself is why the run stopped
		labels := make([]string, len(a.Options))
		for i, o := range a.Options {
			labels[i] = o.Label
		}
		return MiddleCut(tr, strings.Join(labels, " · ")), false
	default:
		ev, err := a.ToolEvidence()
		if err == nil && ev.Command != "" {
			return MiddleCut(tr, ev.Command), true
		}
		return MiddleCut(tr, jsontext.Line(string(a.Args))), true
	}
}

// MiddleCut shortens a text to its beginning and its end, and says how much is
// missing: what matters of a command may stand at either. Line ends are shown,
// because a line that looks like the end of a command may not be it.
func MiddleCut(tr *text.Printer, whole string) string {
	whole = strings.ReplaceAll(invisible.Visible(strings.TrimSpace(whole)), "\n", " ⏎ ")
	runes := []rune(strings.Join(strings.Fields(whole), " "))
	cut := len(runes) - gistHead - gistTail
	if cut <= 0 {
		return string(runes)
	}
	return tr.T("present.inbox.middle_cut", string(runes[:gistHead]), cut, string(runes[len(runes)-gistTail:]))
}
