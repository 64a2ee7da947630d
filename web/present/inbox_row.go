package present

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
)

// lateShare is the part of its time from which an approval is shown as late.
const lateShare = 0.75

// InboxRow is an approval as one row of the viewer's inbox.
func InboxRow(tr *text.Printer, v agent.Viewer, e agent.InboxEntry, now time.Time) page.InboxRow {
	a, wish := e.Approval, WishOf(tr, e.Approval)
	row := page.InboxRow{
		ID: a.ID, Icon: cmp.Or(kindIcons[a.Kind], toolIcons[a.ToolName], "tool"),
		What: wish.What, Gist: wish.Gist, Mono: wish.Mono, Says: wish.Line(tr),
		Risk: string(a.Risk), RiskWord: InboxRisk(tr, a), Tone: RiskTone(a.Risk),
		Where: InboxTitle(tr, a), Path: PathLine(tr, a.Path), Asked: a.RequestedAt, Expires: a.ExpiresAt,
		Unread: e.Unread && e.Mine, Marks: inboxMarks(tr, e),
	}
	if total := e.Usage.Total(); total > 0 {
		row.Spent = tr.T("present.usage.tokens_money", tr.Amount(total), Money(e.CostMicros))
	}
	if total := a.ExpiresAt.Sub(a.RequestedAt); total > 0 {
		row.Late = float64(now.Sub(a.RequestedAt)) > lateShare*float64(total)
	}
	switch {
	case a.Status != agent.ApprovalPending:
		row.Settled = SettledBy(tr, a)
	case !e.Mine:
		row.WaitsFor = waitsFor(tr, v, a)
	}
	if row.WaitsFor == "" || a.Kind != agent.KindQuestion { // which waits for its owner
		row.Owner = Person(a.OwnerName, a.OwnerEmail)
		row.Where += " · " + row.Owner
	}
	return row
}

// waitsFor says who can decide what the viewer cannot.
func waitsFor(tr *text.Printer, v agent.Viewer, a agent.Approval) string {
	switch {
	case a.Kind == agent.KindQuestion:
		return tr.T("present.inbox.waits_owner", Person(a.OwnerName, a.OwnerEmail))
	case a.Kind == agent.KindBudget && a.BudgetID != "" && !agent.MayRaise(v, a):
		return tr.T("present.inbox.waits_admin")
	case v.Role.Reviews():
		return tr.T("present.inbox.waits_another")
	default:
		return tr.T("present.inbox.waits_reviewer")
	}
}

// InboxRisk is the risk of an approval in a word, "" where there is none to tell of.
func InboxRisk(tr *text.Printer, a agent.Approval) string {
	if !part.RiskShown(string(a.Kind), string(a.Risk)) {
		return ""
	}
	return part.RiskWord(tr, string(a.Risk))
}

// SettledBy is a decision and the person who made it.
func SettledBy(tr *text.Printer, a agent.Approval) string {
	settled := settledOf(tr, a)
	if settled.By == "" {
		return settled.Verb
	}
	return tr.T("present.settled.by", settled.Verb, settled.By)
}

// PickOf binds a box to what its row shows.
func PickOf(a agent.Approval) string {
	return a.ID + ":" + strconv.Itoa(a.Generation) + ":" + a.ArgsHash
}

// inboxMarks say what has happened to a card while it waited. They stay when it
// is settled, so that its row keeps its height.
func inboxMarks(tr *text.Printer, e agent.InboxEntry) []page.InboxMark {
	a := e.Approval
	var marks []page.InboxMark
	if a.Status == agent.ApprovalPending && e.Siblings > agent.LooseCards {
		marks = append(marks, page.InboxMark{Tone: "warm", Text: tr.T("present.inbox.siblings", e.Siblings)})
	}
	if n := len(a.Votes); n > 0 {
		by := make([]string, n)
		for i, vote := range a.Votes {
			by[i] = vote.By
		}
		marks = append(marks, page.InboxMark{Tone: "accent", Text: tr.T("present.inbox.votes", n, a.Needs, strings.Join(by, ", "))})
	} else if a.Needs > 1 {
		marks = append(marks, page.InboxMark{Text: tr.T("present.inbox.needs", a.Needs)})
	}
	if a.Author != "" {
		marks = append(marks, page.InboxMark{Text: tr.T("present.inbox.edited", a.Author)})
	} else if a.Generation > 1 {
		marks = append(marks, page.InboxMark{Text: tr.T("present.inbox.again")})
	}
	switch {
	case a.EscalatedTo != "":
		marks = append(marks, page.InboxMark{Tone: "tripped", Text: tr.T("present.inbox.escalated", a.EscalatedTo)})
	case a.Stage == agent.StageReminded:
		marks = append(marks, page.InboxMark{Tone: "warm", Text: tr.T("present.inbox.reminded")})
	}
	return marks
}

// kindIcons are the icons of cards that are not about a tool.
var kindIcons = map[agent.ApprovalKind]string{
	agent.KindLoop: "loop", agent.KindBudget: "budget", agent.KindQuestion: "chat", agent.KindOutcome: "warning",
}

var toolIcons = map[string]string{"run_shell": "bolt", "write_file": "edit", "edit_file": "edit", "document_save": "edit", "web_fetch": "external", "web_search": "search"}

// RiskTone is the colour of a risk.
func RiskTone(r agent.Risk) string { return cmp.Or(riskTones[r], "tripped") }

var riskTones = map[agent.Risk]string{agent.RiskLow: "good", agent.RiskMedium: "warm"}

// InboxTitle names the chat that an approval is from.
func InboxTitle(tr *text.Printer, a agent.Approval) string {
	if a.ConversationTitle == "" {
		return tr.T("present.inbox.untitled")
	}
	return a.ConversationTitle
}
