package present

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/argform"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

// maxDiffLines bounds the lines of a change on a card.
const maxDiffLines = 2000

// beforeInChat is how many of the calls that run first a card in a chat shows: an answer may
// ask for hundreds, and each has its own row there.
const beforeInChat = 3

// addEvidence decodes what the card shows. Evidence that does not decode comes
// from a newer program; the card then shows its arguments alone.
func addEvidence(tr *text.Printer, props *part.Approval, a agent.Approval, who Onlooker) {
	switch a.Kind {
	case agent.KindLoop:
		props.Loop, props.Call = loopShown(tr, a.RunID, a.Evidence, who.TokensOnly), heldCall(a)
	case agent.KindBudget:
		props.Budget = budgetShown(tr, a.Evidence, cmp.Or(who.Zone, time.UTC))
		if who.TokensOnly {
			props.Budget.RaiseUSD = "" // nothing of it can be proposed
		}
		if len(props.Budget.Meters) > 0 {
			props.Why = "" // the meters say it
		}
	case agent.KindOutcome:
		ev, _ := a.OutcomeEvidence()
		props.Call = &part.CallAsked{Tool: a.ToolName, Started: ev.StartedAt, Key: ev.IdempotencyKey, Output: invisible.Visible(ev.Output), Files: filesShown(tr, agent.ToolEvidence{Files: ev.Files, FilesDecide: ev.FilesDecide, Changed: ev.Changed, Allowed: ev.Allowed})}
	case agent.KindQuestion:
		ev, _ := a.QuestionEvidence()
		props.Ask = &part.QuestionShown{Multiple: ev.Multiple, FreeText: ev.FreeText, HandOver: ev.HandOver, Proposed: ev.Draft, Visible: invisible.Visible(ev.Draft), Server: ev.Server}
		if root, ok := argform.Tree(ev.Schema, ev.Preset); ok && ev.Server != "" {
			props.Fields = root.Fields(tr)
		}
		if ev.Confidence != nil {
			props.Sure = tr.T("present.card.sure", int(math.Round(*ev.Confidence*100)))
		}
	case agent.KindTool:
		ev, _ := a.ToolEvidence()
		props.Call = &part.CallAsked{
			Tool: a.ToolName, Effect: EffectLabel(tr, ev.Effect), Rule: ev.Rule.String(), Because: becauseOf(tr, ev.Rule), Command: invisible.Visible(ev.Command), Cwd: folderOf(tr, a, ev.Cwd), Env: ev.Env, Diff: DiffLines(tr, ev.Diff),
			Runs: runsOf(ev), Request: invisible.Visible(ev.Request), Targets: targetsOf(a.Args), Before: earlierCalls(tr, ev.Before), Files: filesShown(tr, ev),
		}
		if ev.Command != "" && ev.Rule == agent.BuiltIn("effect-exec") {
			props.Why = tr.T("present.card.runs_command")
		}
		if more := len(props.Call.Before) - beforeInChat; who.InChat && more > 0 {
			props.Call.Before, props.Call.BeforeMore = props.Call.Before[more:], more
		}
		props.Call.Walls, props.Call.Open = wallsOf(tr, ev.Walls)
		if a.Author != "" && len(a.OriginalArgs) > 0 {
			props.Author, props.Changes = a.Author, changedLines(jsontext.Indent(string(a.OriginalArgs)), jsontext.Indent(string(a.Args)))
		}
	}
}

// runsOf is where a call of a tool from outside goes.
func runsOf(ev agent.ToolEvidence) string {
	if ev.Source == "" {
		return ""
	}
	return invisible.Visible(strings.TrimSpace(ev.Source + " " + ev.Runs))
}

// folderOf is where a command runs: nearly always the workspace of its chat, whose
// path alone says nothing to a person.
func folderOf(tr *text.Printer, a agent.Approval, cwd string) string {
	if cwd == "workspaces/"+a.ConversationID {
		return tr.T("present.card.workspace", cwd)
	}
	return cwd
}

// DiffLines takes a unified diff apart. The two lines before its first place that name the
// file become one.
func DiffLines(tr *text.Printer, diff string) []part.DiffLine {
	var lines []part.DiffLine
	var from string
	inside := !strings.Contains(diff, "@@")
	for line := range strings.Lines(diff) {
		if len(lines) == maxDiffLines {
			return append(lines, part.DiffLine{Sign: "@", Text: tr.T("present.card.diff_cut")})
		}
		line = strings.TrimSuffix(line, "\n")
		inside = inside || strings.HasPrefix(line, "@@")
		if name, ok := strings.CutPrefix(line, "--- "); ok && !inside {
			from = name
			continue
		}
		if name, ok := strings.CutPrefix(line, "+++ "); ok && !inside {
			line = changedFile(tr, from, name)
		}
		lines = append(lines, diffLine(invisible.Visible(line), inside))
	}
	return lines
}

func changedFile(tr *text.Printer, from, to string) string {
	const nothing = "/dev/null"
	old, now := strings.TrimPrefix(from, "a/"), strings.TrimPrefix(to, "b/")
	switch {
	case from == nothing:
		return tr.T("present.card.file_new", now)
	case to == nothing:
		return tr.T("present.card.file_gone", old)
	case old != now:
		return old + " → " + now
	default:
		return now
	}
}

func diffLine(line string, inside bool) part.DiffLine {
	switch {
	case !inside, strings.HasPrefix(line, "@@"), strings.HasPrefix(line, `\`):
		return part.DiffLine{Sign: "@", Text: line}
	case line != "" && strings.ContainsAny(line[:1], "+-"):
		return part.DiffLine{Sign: line[:1], Text: line[1:]}
	default:
		return part.DiffLine{Sign: " ", Text: strings.TrimPrefix(line, " ")}
	}
}

// heldCall is the call that runs once a loop card lets it go on, where the table
// of its streak does not show all of it.
func heldCall(a agent.Approval) *part.CallAsked {
	ev, err := a.LoopEvidence()
	if a.ToolCallID == "" || err != nil {
		return nil
	}
	whole := func(c agent.EvidenceCall) bool {
		return c.ToolCallID == a.ToolCallID && jsontext.Compact(c.Args) == jsontext.Compact(a.Args)
	}
	if len(ev.Calls) > 0 && whole(ev.Calls[len(ev.Calls)-1]) {
		return nil
	}
	return &part.CallAsked{Tool: a.ToolName, Held: true, Targets: targetsOf(a.Args)}
}

// targetsOf are the hosts of the addresses that stand in the arguments.
func targetsOf(args json.RawMessage) []string {
	var value any
	if json.Unmarshal(args, &value) != nil {
		return nil
	}
	var hosts []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case string:
			if u, err := url.Parse(strings.TrimSpace(v)); err == nil && u.Host != "" {
				hosts = append(hosts, invisible.Visible(u.Host))
			}
		}
	}
	walk(value)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// changedLines sets two texts against each other: what both begin and end with
// is shown once, and what lies between as it was and as it is.
func changedLines(before, after string) []part.DiffLine {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var lines []part.DiffLine
	add := func(sign string, texts []string) {
		for _, text := range texts {
			lines = append(lines, part.DiffLine{Sign: sign, Text: text})
		}
	}
	add(" ", a[:head])
	add("-", a[head:len(a)-tail])
	add("+", b[head:len(b)-tail])
	add(" ", a[len(a)-tail:])
	return lines
}

// maxFileNames bounds how many files a card names.
const maxFileNames = 8

// filesShown is what a card says of the files that decide what its call does.
func filesShown(tr *text.Printer, ev agent.ToolEvidence) part.FilesShown {
	f := part.FilesShown{Decide: ev.FilesDecide}
	for _, file := range agent.NamedFiles(ev.Files) {
		f.Names = append(f.Names, invisible.Visible(file.Path))
	}
	f.Names = f.Names[:min(len(f.Names), maxFileNames)]
	f.More = len(ev.Files) - len(f.Names)
	for i, c := range ev.Changed {
		if i == maxFileNames {
			f.Changed = append(f.Changed, tr.T("present.card.more_files", len(ev.Changed)-i))
			break
		}
		f.Changed = append(f.Changed, changeText(tr, c))
	}
	if ev.Allowed != nil {
		f.AllowedBy, f.AllowedAt = ev.Allowed.By, ev.Allowed.At
	}
	return f
}

func changeText(tr *text.Printer, c agent.FileChange) string {
	path := invisible.Visible(c.Path)
	switch c.What {
	case "new":
		return tr.T("present.card.file_new", path)
	case "gone":
		return tr.T("present.card.file_gone", path)
	default:
		return path
	}
}

func earlierCalls(tr *text.Printer, before []agent.EarlierCall) []part.EarlierCall {
	var calls []part.EarlierCall
	for _, b := range before {
		calls = append(calls, part.EarlierCall{
			Tool: b.ToolName, Asks: b.Asks, Command: invisible.Visible(b.Command), Diff: DiffLines(tr, b.Diff),
		})
	}
	return calls
}
