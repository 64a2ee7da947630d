package present

import (
	"strconv"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// lateShare is the part of its time from which an approval is shown as late.
const lateShare = 0.75

// InboxRow is an approval as one row of the inbox.
func InboxRow(tr *text.Printer, e agent.InboxEntry, now time.Time) page.InboxRow {
	a := e.Approval
	row := page.InboxRow{
		ID: a.ID, Icon: inboxIcon(a.Kind), What: InboxWhat(tr, a), Kind: string(a.Kind), Risk: string(a.Risk), Tone: RiskTone(a.Risk),
		Why: whyOf(tr, a), Title: InboxTitle(tr, a), Owner: Person(a.OwnerName, a.OwnerEmail), Asked: a.RequestedAt, Expires: a.ExpiresAt,
		Unread: e.Unread, Marks: inboxMarks(tr, e),
	}
	if total := e.Usage.Total(); total > 0 {
		row.Spent = tr.T("present.usage.tokens_money", tr.Amount(total), Money(e.CostMicros))
	}
	row.Gist, row.Mono = InboxGist(tr, a)
	if a.Kind == agent.KindBudget && row.Gist != "" {
		row.Why = "" // the numbers say it
	}
	if total := a.ExpiresAt.Sub(a.RequestedAt); total > 0 {
		row.Late = float64(now.Sub(a.RequestedAt)) > lateShare*float64(total)
	}
	if a.Status != agent.ApprovalPending {
		row.Settled = SettledBy(tr, a)
	}
	return row
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

func inboxIcon(k agent.ApprovalKind) string {
	switch k {
	case agent.KindLoop:
		return "loop"
	case agent.KindBudget:
		return "budget"
	case agent.KindQuestion:
		return "chat"
	case agent.KindOutcome:
		return "warning"
	default:
		return "bolt"
	}
}

// RiskTone is the colour of a risk.
func RiskTone(r agent.Risk) string {
	switch r {
	case agent.RiskLow:
		return "good"
	case agent.RiskMedium:
		return "warm"
	default:
		return "tripped"
	}
}

// InboxTitle names the chat that an approval is from.
func InboxTitle(tr *text.Printer, a agent.Approval) string {
	if a.ConversationTitle == "" {
		return tr.T("present.inbox.untitled")
	}
	return a.ConversationTitle
}

// InboxWhat names what is asked: the tool, or what tripped.
func InboxWhat(tr *text.Printer, a agent.Approval) string {
	switch a.Kind {
	case agent.KindTool, agent.KindOutcome:
		return a.ToolName
	default:
		return CardHead(tr, a)
	}
}
