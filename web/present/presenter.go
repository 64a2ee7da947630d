package present

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// Presenter folds the events of one conversation into what its page shows. The
// first load renders the folded state, a socket sends its changes as
// fragments: both come out of the same fold. It belongs to one goroutine.
type Presenter struct {
	*audience
	*transcript
	answers *answers
	tools   *toolCalls
	cards   *cards
	// Budgets are those of admins that limit the owner's runs, as they stand.
	Budgets Accounts
	// Flows reads the workflows that runs work by; nil shows no steps.
	Flows Flows
	// Waits are the queued messages. A page sets them when it is made: the part of the log that it shows
	// may not mention them.
	Waits agent.Queue

	Seq     int64
	Run     RunView
	context int64           // what the newest answer and what led to it have taken, in tokens
	values  outputs         // of the newest run
	plan    *runPlan        // of the newest run that has begun
	flow    *runFlow        // of that run, nil where it works by no workflow
	told    string          // the text of the run's error, or of the breaker that ended it
	awaits  agent.RunPaused // of the newest run, as long as it is paused
	cut     *part.End       // of the newest run, where its answer can be continued
	skipped bool            // the last event was of another branch

	children *children
	below    bool // it is the presenter of a child
}

// NewFold makes an empty presenter; mayDecide says whose forms are shown.
func NewFold(tr *text.Printer, conv agent.Conversation, mayStop bool, mayDecide func(agent.Approval) bool) *Presenter {
	p := newFold(&audience{
		Text: tr, conv: conv, mayStop: mayStop, mayDecide: mayDecide, Zone: time.UTC, LoopLimit: agent.DefaultGuardSettings().Critical,
	}, transcriptID)
	p.beginTree()
	return p
}

// newFold makes a presenter whose transcript has a place on the page.
func newFold(to *audience, into string) *Presenter {
	p := &Presenter{audience: to, transcript: &transcript{outgoing: outgoing{tr: to.Text}, into: into}}
	p.tools = &toolCalls{audience: to, transcript: p.transcript}
	p.answers = &answers{audience: to, transcript: p.transcript, tools: p.tools}
	p.cards = &cards{audience: to, transcript: p.transcript, tools: p.tools, byID: map[string]*agent.Approval{}}
	p.forget()
	return p
}

// beginTree forgets the runs below an earlier run.
func (p *Presenter) beginTree() {
	p.children = &children{page: p, byID: map[string]*child{}}
	p.tools.children = p.children
}

// forget drops what cannot change any more. Decisions stay: they are named by
// later calls that they cover, and can be revoked.
func (p *Presenter) forget() {
	p.items, p.answers.open = nil, nil
	p.answers.byID, p.tools.byKey = map[string]*answer{}, map[string]*toolCall{}
}

// Replay takes in what a page shows already: the events up to seq after. The
// stored log lacks the deltas of messages that are final by now; a message
// that the page has in part is therefore sent whole once it is final.
func (p *Presenter) Replay(t agent.Transcript, after int64) {
	p.from = t.From
	p.cover(t.Covers, 0, t.From, after)
	p.replay(t.Events, 0, math.MaxInt64, after)
	p.cover(t.Covers, t.From, math.MaxInt64, after)
}

// cover takes in approvals that cover calls of the page, and have no place there.
func (p *Presenter) cover(events []agent.Event, from, to, after int64) {
	p.covers = true
	p.replay(events, from, to, after)
	p.covers = false
}

func (p *Presenter) replay(events []agent.Event, from, to, after int64) {
	for _, e := range events {
		if e.Seq < from || e.Seq >= to {
			continue
		}
		if e.Seq <= after {
			p.fold(e)
			continue
		}
		of := p
		if c := p.children.byID[e.RunID]; c != nil {
			of = c.fold
		}
		if m, ok := e.Data.(agent.MessageEvent); ok && of.answers.byID[m.Message.ID] != nil {
			of.answers.byID[m.Message.ID].lost = true
		}
	}
}

// Apply takes one more event in and returns what it changes on the page.
func (p *Presenter) Apply(e agent.Event) []Fragment {
	p.live, p.out = true, nil
	runBefore, contextBefore, activeBefore := p.Run, p.context, *p.active()
	p.fold(e)
	if !p.skipped {
		p.announce(e)
	}
	if _, told := e.Data.(agent.BudgetEvent); told || p.Run.panelDiffers(runBefore) {
		p.replace(fusesID, p.Fuses())
	}
	if p.active().stateDiffers(activeBefore) || p.context != contextBefore || p.Run.Status == agent.StatusPaused && (ofCard(e) || endsChild(e)) {
		p.replace(runStateID, p.RunState())
	}
	return p.out
}

func ofCard(e agent.Event) bool {
	switch e.Data.(type) {
	case agent.ApprovalRequestedEvent, agent.ApprovalDecidedEvent:
		return true
	default:
		return false
	}
}

func endsChild(e agent.Event) bool {
	_, ends := e.Data.(agent.Finish)
	return ends && e.ParentRunID != ""
}

// fold is the one place where an event becomes something to see.
func (p *Presenter) fold(e agent.Event) {
	if p.TokensOnly {
		e = WithoutMoney(e)
	}
	p.Seq = max(p.Seq, e.Seq)
	if p.skipped = !p.covers && !p.Branch.shows(e); p.skipped {
		p.Branch.elsewhere(e)
		return
	}
	if e.ParentRunID != "" {
		p.children.fold(e)
	} else {
		if _, starts := e.Data.(agent.RunStart); starts && e.RunID != p.Run.id {
			p.goOn(e.RunID)
		}
		p.Run.Fold(e)
		p.Budgets.fold(e, p.live)
		p.foldOwn(e)
	}
	if p.flow.fold(e) && p.live { // its steps show what has come of calls and of the runs below
		p.replace(p.flow.id(), p.flow.view())
	}
}

// foldOwn hands an event of the conversation, or of the run that the presenter is of, to the part of the
// page that it is about.
func (p *Presenter) foldOwn(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.MessageEvent:
		p.message(e, d.Message)
	case agent.RunStart:
		p.start(e, d)
	case agent.RunResumed, agent.PlanEvent:
		p.foldPlan(e)
	case agent.StepStart:
		p.answers.start(e, d.MessageID)
	case agent.StepFinish:
		p.context = d.Usage.Total()
		p.answers.close() // a stream that was cut off has no message of its own
	case agent.TextDelta:
		p.answers.text(d)
	case agent.ReasoningDelta:
		p.answers.reason(d)
	case agent.MessageReset:
		p.answers.reset(d.ID)
	case agent.RetryEvent, agent.FallbackEvent:
		p.answers.wait(waitOf(p.Text, e))
	case agent.ToolCallStart:
		p.answers.startTool(e, d)
	case agent.ToolCallDelta:
		p.tools.addArgs(e, d)
	case agent.ToolCallStateEvent:
		p.toolState(e, d)
	case agent.ToolResultDelta:
		p.tools.addOutput(e, d)
	case agent.ToolCallResult:
		p.toolResult(e, d)
	case agent.ApprovalRequestedEvent:
		p.cards.ask(e, d)
	case agent.ApprovalDecidedEvent:
		p.cards.decide(e, d)
	case agent.Notice:
		p.notice(e, d)
	case agent.QueueEvent:
		p.foldQueue(d)
	case agent.BranchEvent:
		p.goOn(e.RunID)
	case agent.MessageDeletedEvent:
		p.Branch.deleted(d)
	case agent.RunPaused:
		p.awaits = d
		p.foldPlan(e)
	case agent.TitleEvent:
		p.title(d)
	case agent.Finish:
		p.finish(e, d)
	default:
		p.line(e)
	}
}

// message puts a whole message in its place.
func (p *Presenter) message(e agent.Event, m agent.Message) {
	switch m.Role {
	case agent.FromUser:
		if !m.Asks() {
			p.guidance(e, m)
			return
		}
		if p.below {
			return // the card of a child has its task
		}
		if p.live {
			p.forget() // no earlier run changes any more
			p.beginTree()
		}
		p.moveOn()
		p.Run = NewRunView(m.RunID, p.LoopLimit)
		if p.Branch != nil && p.Branch.cut[m.RunID] {
			p.Run.Status = agent.StatusFinished // elsewhere
		}
		p.told, p.values = "", nil
		said := part.UserMessage{ID: "m-" + m.ID, Text: m.Content, At: m.CreatedAt, CSRF: p.CSRF, Pinned: slices.Contains(p.Pinned, m.ID), Path: p.messagePath(m.ID)}
		if p.Owns {
			said.Pin = said.Path + "/pin"
			if m.DocumentID != "" {
				said.Document = "/documents/" + m.DocumentID
			}
		}
		p.add(item{id: said.ID, seq: e.Seq, message: true, opens: true, View: func() templ.Component {
			said.Versions = p.Branch.versions(m.ID)
			return part.Said(said)
		}})
	case agent.FromAssistant:
		p.answers.finish(e, m)
	case agent.FromTool:
		p.tools.message(e, m)
	}
}

// start makes room for the plan of a run and for the steps of its workflow, above its answers.
func (p *Presenter) start(e agent.Event, d agent.RunStart) {
	p.plan = &runPlan{run: e.RunID, status: agent.StatusRunning, mayEdit: p.Owns}
	p.add(item{id: p.plan.id(), seq: e.Seq, View: p.plan.view})
	if p.flow = p.newFlow(e, d); p.flow != nil {
		p.add(item{id: p.flow.id(), seq: e.Seq, View: p.flow.view})
	}
}

// title shows what the conversation is called now, wherever its page says so.
func (p *Presenter) title(d agent.TitleEvent) {
	title := cmp.Or(d.Title, p.Text.T("page.chat.untitled"))
	p.replace("chat-name", part.ChatName(title))
	p.replace("open-title", part.OpenTitle(title))
	p.replace("chat-title", part.TitleField(title))
}
