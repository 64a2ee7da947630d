package present

import (
	"encoding/json"
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
	// Text writes in the viewer's language.
	Text *text.Printer
	conv agent.Conversation
	// CSRF is the token of the forms; the page's script fills it in where it is "".
	CSRF string
	Owns bool // the viewer owns the conversation
	// TokensOnly says that the viewer is not shown money.
	TokensOnly bool
	// Budgets are those of admins that limit the owner's runs, as they stand.
	Budgets Accounts
	Pinned  []string // messages that were pinned when the page was made
	// Feedback is what the viewer had said of answers by then.
	Feedback  map[string]agent.Feedback
	mayDecide func(agent.Approval) bool
	// Viewer is the person looking; Schema is the schema of a tool's arguments, nil for none.
	Viewer  agent.Viewer
	Schema  func(tool string) json.RawMessage
	mayStop bool
	// Zone is the instance's.
	Zone *time.Location
	// LoopLimit is the number of same calls that trips.
	LoopLimit int
	// Flows reads the workflows that runs work by; nil shows no steps.
	Flows Flows

	Seq     int64
	from    int64 // where the part of the log begins that it was made of
	items   []item
	answers map[string]*answer
	open    *answer // the message that is being written
	tools   map[string]*toolCall
	cards   cards
	Run     RunView
	context int64           // what the newest answer and what led to it have taken, in tokens
	values  []delivered     // outputs of the newest run
	plan    *runPlan        // of the newest run that has begun
	flow    *runFlow        // of that run, nil where it works by no workflow
	told    string          // the text of the run's error, or of the breaker that ended it
	awaits  agent.RunPaused // of the newest run, as long as it is paused
	cut     *part.End       // of the newest run, where its answer can be continued
	queue   agent.Queue     // what waits in the conversation

	branch   *branch // nil for all that is said
	awayTold string  // the run of another branch that the page tells of
	covers   bool    // what is folded is not of the page
	skipped  bool    // the last event was of another branch

	children *children
	of       *child // nil but for the presenter of a child

	outgoing
}

// item is one child of the transcript.
type item struct {
	id      string
	seq     int64
	message bool // counts as a message for paging
	answer  *answer
	opens   bool // is a person's, which a turn begins with
	View    func() templ.Component
}

// NewFold makes an empty presenter; mayDecide says whose forms are shown.
func NewFold(tr *text.Printer, conv agent.Conversation, mayStop bool, mayDecide func(agent.Approval) bool) *Presenter {
	p := &Presenter{
		Text: tr,
		conv: conv, mayStop: mayStop, mayDecide: mayDecide, Zone: time.UTC,
		LoopLimit: agent.DefaultGuardSettings().Critical, cards: cards{}, outgoing: outgoing{tr: tr},
	}
	p.children = &children{page: p, byID: map[string]*child{}}
	p.forget()
	return p
}

// forget drops what cannot change any more. Decisions stay: they are named by
// later calls that they cover, and can be revoked.
func (p *Presenter) forget() {
	p.items, p.open = nil, nil
	p.answers = map[string]*answer{}
	p.tools = map[string]*toolCall{}
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
		if m, ok := e.Data.(agent.MessageEvent); ok && of.answers[m.Message.ID] != nil {
			of.answers[m.Message.ID].lost = true
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

// ofCard reports whether an event is about an approval.
func ofCard(e agent.Event) bool {
	switch e.Data.(type) {
	case agent.ApprovalRequestedEvent, agent.ApprovalDecidedEvent:
		return true
	default:
		return false
	}
}

// endsChild reports whether an event is the end of a child run.
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
	if p.skipped = p.of == nil && !p.covers && !p.branch.shows(e); p.skipped {
		p.branch.elsewhere(e)
		return
	}
	if e.ParentRunID != "" {
		p.children.fold(e)
		p.foldFlow(e)
		return
	}
	defer p.foldFlow(e)
	p.foldRun(e)
	switch d := e.Data.(type) {
	case agent.MessageEvent:
		p.message(e, d.Message)
	case agent.StepStart:
		p.startAnswer(e, d.MessageID)
	case agent.StepFinish:
		p.context = d.Usage.Total()
		p.closeAnswer() // a stream that was cut off has no message of its own
	case agent.TextDelta:
		p.text(d)
	case agent.ReasoningDelta:
		p.reason(d)
	case agent.MessageReset:
		p.reset(d.ID)
	case agent.ToolCallStart:
		p.startTool(e, d)
	case agent.ToolCallDelta:
		p.toolArgs(e, d)
	case agent.ToolCallStateEvent:
		p.toolState(e, d)
	case agent.ToolResultDelta:
		p.toolOutput(e, d)
	case agent.ToolCallResult:
		p.toolResult(e, d)
	case agent.RetryEvent, agent.FallbackEvent:
		p.wait(e)
	case agent.Notice:
		p.notice(e, d)
	case agent.QueueEvent:
		p.foldQueue(d)
	case agent.BranchEvent:
		p.goOn(e.RunID)
	case agent.MessageDeletedEvent:
		p.branch.deleted(d)
	case agent.ApprovalRequestedEvent:
		p.ask(e, d)
	case agent.ApprovalDecidedEvent:
		p.decide(e, d)
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
		if p.of != nil {
			return // the card of a child has its task
		}
		if p.live {
			p.forget() // no earlier run changes any more
			p.children = &children{page: p, byID: map[string]*child{}}
		}
		p.moveOn()
		p.Run = NewRunView(m.RunID, p.LoopLimit)
		if p.branch != nil && p.branch.cut[m.RunID] {
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
			said.Versions = p.branch.versions(m.ID)
			return part.Said(said)
		}})
	case agent.FromAssistant:
		p.finishAnswer(e, m)
	case agent.FromTool:
		p.toolMessage(e, m)
	}
}

// add puts a new item at the end of the transcript.
func (p *Presenter) add(it item) {
	if p.covers {
		return
	}
	p.items = append(p.items, it)
	if !p.live {
		return
	}
	into := transcriptID
	if p.of != nil {
		into = childID(p.of.run)
	}
	p.append(into, it.View())
}
