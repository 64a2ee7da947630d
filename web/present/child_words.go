package present

import (
	"cmp"
	"fmt"
	"strings"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
)

// maxTaskGist is how much of a task stands in one line.
const maxTaskGist = 200

// AgentName is how people are told of the run of an agent, or of a workflow. Every child works by one.
func AgentName(tr *text.Printer, name string) string {
	if name == "" {
		return tr.T("present.child.root")
	}
	return invisible.Visible(name)
}

func visibleTask(task string) string {
	return invisible.Visible(agent.ClipBytes(strings.TrimSpace(task), maxToolText))
}

// pathOf says who asks for whom, the root first; nil where the root itself asks.
func pathOf(tr *text.Printer, path []agent.PathStep) []part.Asker {
	var askers []part.Asker
	for _, s := range path {
		askers = append(askers, part.Asker{Name: AgentName(tr, cmp.Or(s.Agent, s.Workflow)), Task: visibleTask(s.Task)})
	}
	return askers
}

// PathLine is who asks for whom in one line, "" where the root itself asks.
func PathLine(tr *text.Printer, path []agent.PathStep) string {
	var names []string
	for _, s := range path {
		names = append(names, AgentName(tr, cmp.Or(s.Agent, s.Workflow)))
	}
	return strings.Join(names, " → ")
}

// head is the line of the child's card: who does what, how far it is, and what it took.
func (c *child) head() part.ChildHead {
	p, r := c.fold, &c.fold.Run
	task, _ := agent.SplitTask(c.task)
	head := part.ChildHead{
		ID: childID(c.run) + "-s", Agent: AgentName(p.Text, c.agent), Task: agent.Clip(visibleTask(task), maxTaskGist),
	}
	if r.steps > 0 {
		head.Meters = append(head.Meters, p.Text.T("present.end.took_steps", r.steps, p.Text.Amount(int64(r.steps))))
	}
	if used := r.usedTokens + r.belowTokens; used > 0 {
		head.Meters = append(head.Meters, p.Text.T("present.child.tokens", p.Text.Amount(used)))
	}
	if cost := r.cost + r.belowCost; cost > 0 && !p.TokensOnly {
		head.Meters = append(head.Meters, Money(cost))
	}
	if r.active > 0 {
		head.Took = Seconds(r.active)
	}
	if !r.since.IsZero() {
		head.Took, head.Since = clockTime(r.active), r.since.Add(-r.active)
	}
	head.Tone, head.Label = c.state()
	return head
}

// state says what the child does, and in which colour.
func (c *child) state() (tone, label string) {
	p := c.fold
	if c.end != nil {
		return cmp.Or(endTones[c.end.Status], "tripped"), ChildEnd(p.Text, c.end.Status, c.end.StopReason, c.end.AbortedBySystem())
	}
	asks, names := p.asks(), []string{}
	for _, below := range p.children.unended(p.awaits.Children) {
		names = append(names, AgentName(p.Text, below.agent))
	}
	switch status := p.Run.Status; {
	case status == agent.StatusPaused && asks != nil && p.mayDecide(*asks):
		return "warm", p.Text.T("present.child.for_you")
	case status == agent.StatusPaused && asks != nil:
		return "warm", p.Text.T("present.run.paused")
	case status == agent.StatusPaused && len(names) > 0:
		return "", p.Text.T("present.child.for_run", JoinNames(p.Text, names))
	case status == agent.StatusPaused, status == agent.StatusQueued:
		return "", p.Text.T("present.child.queued")
	case p.Run.waits():
		return "", p.Text.T("present.child.for_result")
	default:
		return "accent", p.Text.T("present.child.working")
	}
}

// ChildEnd says in a word or two how a child run has ended; bySystem where it was aborted by no person.
func ChildEnd(tr *text.Printer, s agent.Status, why agent.StopReason, bySystem bool) string {
	switch {
	case s == agent.StatusFinished:
		return tr.T("present.child.done")
	case s == agent.StatusAborted && bySystem:
		return tr.T("present.child.ended")
	case s == agent.StatusAborted:
		return tr.T("present.child.aborted")
	case s == agent.StatusFailed:
		return tr.T("present.child.failed")
	default:
		return tr.T("present.child.stopped", stopWord(tr, why))
	}
}

func stopWord(tr *text.Printer, r agent.StopReason) string {
	switch r {
	case agent.StopMaxSteps:
		return tr.T("present.stop.steps")
	case agent.StopTimeout:
		return tr.T("present.stop.time")
	case agent.StopTokenBudget:
		return tr.T("present.stop.tokens")
	case agent.StopCostBudget:
		return tr.T("present.stop.money")
	case agent.StopLoop:
		return tr.T("present.stop.loop")
	case agent.StopConsecutiveErrors:
		return tr.T("present.stop.errors")
	case agent.StopRejected:
		return tr.T("present.stop.rejected")
	case agent.StopApprovalExpired:
		return tr.T("present.stop.undecided")
	default:
		return string(r)
	}
}

// endTones colour the ends that are not "tripped"; a stop never looks like success.
var endTones = map[agent.Status]string{agent.StatusFinished: "good", agent.StatusAborted: "warm"}

// maxNames is how many runs are named that a run waits for.
const maxNames = 3

// tally has each name once, in its place, with the number of its runs where they are several.
func tally(names []string) []string {
	var each []string
	times := map[string]int{}
	for _, n := range names {
		if times[n]++; times[n] == 1 {
			each = append(each, n)
		}
	}
	for i, n := range each {
		if times[n] > 1 {
			each[i] = fmt.Sprintf("%s × %d", n, times[n])
		}
	}
	return each
}

// JoinNames lists names, and counts what are too many.
func JoinNames(tr *text.Printer, names []string) string {
	names = tally(names)
	if more := len(names) - maxNames; more > 0 {
		return tr.T("present.child.more", more, strings.Join(names[:maxNames], tr.T("common.comma")))
	}
	return strings.Join(names, tr.T("common.comma"))
}
