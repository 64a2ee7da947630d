package present

import (
	"cmp"
	"encoding/json"
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

// Wish is what an approval is for: what is wanted in words, and the part that matters
// of it, such as the command or the numbers.
type Wish struct {
	What, Gist string
	// Mono says that the gist is code.
	Mono bool
}

// Line is the wish in one line.
func (w Wish) Line(tr *text.Printer) string {
	if w.Gist == "" {
		return w.What
	}
	return tr.T("present.wish.line", w.What, w.Gist)
}

// WishOf says what an approval is for. Evidence that does not decode gives no gist; the
// approval's own page shows what there is.
func WishOf(tr *text.Printer, a agent.Approval) Wish {
	w := Wish{What: CardHead(tr, a)}
	switch a.Kind {
	case agent.KindLoop:
		w.Gist, w.Mono = loopGist(a), true
	case agent.KindBudget:
		switch ev, err := a.BudgetEvidence(); {
		case err != nil:
		case ev.Scope == "":
			w.Gist = shortOf(tr, ev)
		case ev.Unpriced:
			w.Gist = tr.T("present.budget.gist.of", scopeTitle(tr, ev.Scope, ev.SubjectName), shortOf(tr, ev))
		default:
			w.What, w.Gist = tr.T("present.wish.raise", scopeTitle(tr, ev.Scope, ev.SubjectName)), shortOf(tr, ev)
		}
	case agent.KindQuestion:
		asked := MiddleCut(tr, whyOf(tr, a))
		ev, _ := a.QuestionEvidence()
		if ev.HandOver || ev.Server != "" {
			w.Gist = asked
			break
		}
		labels := make([]string, len(a.Options))
		for i, o := range a.Options {
			labels[i] = o.Label
		}
		w.What, w.Gist = cmp.Or(asked, w.What), cmp.Or(strings.Join(labels, " · "), ev.Draft)
	case agent.KindTool, agent.KindOutcome:
		w = callWish(tr, a, w.What)
	}
	w.Gist = MiddleCut(tr, w.Gist)
	return w
}

func loopGist(a agent.Approval) string {
	ev, err := a.LoopEvidence()
	if err != nil || len(ev.Calls) == 0 {
		return ""
	}
	last := ev.Calls[len(ev.Calls)-1]
	gist := fmt.Sprintf("%s × %d", last.ToolName, ev.Count)
	if args := jsontext.Short(string(last.Args)); args != "" {
		gist += ": " + args
	}
	return gist
}

// callWish says what a call would do, and to what; head is what its card asks.
func callWish(tr *text.Printer, a agent.Approval, head string) Wish {
	w := Wish{What: head, Gist: jsontext.Line(string(a.Args)), Mono: true}
	ev, _ := a.ToolEvidence()
	if ev.Command != "" {
		w.Gist = ev.Command
	}
	path, others := withoutPath(a.Args)
	switch {
	case a.Kind == agent.KindOutcome || ev.Rule == agent.BuiltIn(agent.RuleMinConfidence):
	case ev.Command != "":
		w.What = tr.T("present.wish.command")
	case a.ToolName == "write_file" && path != "":
		w.What, w.Gist = tr.T("present.wish.write", MiddleCut(tr, path)), others
	case a.ToolName == "edit_file" && path != "":
		w.What, w.Gist = tr.T("present.wish.change", MiddleCut(tr, path)), others
	default:
		w.What = tr.T("present.wish.tool", a.ToolName)
	}
	return w
}

func withoutPath(args json.RawMessage) (path, others string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil || json.Unmarshal(fields["path"], &path) != nil {
		return "", ""
	}
	delete(fields, "path")
	return path, jsontext.Line(string(agent.MustJSON(fields)))
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

// SameWish is equal for approvals of one person that ask for the same call with the same
// arguments at the same risk, and "" for those that are like no other.
func SameWish(e agent.InboxEntry) string {
	if e.ArgsHash == "" || e.Status != agent.ApprovalPending || e.Siblings > agent.LooseCards || len(e.Votes) > 0 || e.Author != "" {
		return ""
	}
	return strings.Join([]string{string(e.Kind), string(e.Risk), e.ToolName, e.ArgsHash, string(e.Args), e.OwnerID}, "\n")
}
