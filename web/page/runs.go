package page

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
	"fusebox/web/site"
)

// RunRecords read all that is known of a run.
type RunRecords struct {
	Store      service.Store
	Visibility *request.Visibility
}

// Runs shows the pages about runs and takes their forms.
type Runs struct {
	*site.Site
	Tools   agent.Toolbox
	RawLog  bool
	Records *RunRecords
	Outputs service.Outputs
}

// read is everything the store knows of one run.
type runRecord struct {
	text   *text.Printer
	run    agent.Run
	conv   string // the conversation's title
	href   string // its address, "" where the viewer may not open it
	owner  string
	mode   agent.ApprovalMode
	events []agent.Event
	steps  []agent.Step
	calls  []agent.ToolCall
	tree   []agent.Run // all of it, none for those who may not open the chat
	open   []string    // approvals that wait, below the run too
	place  int         // in the queue, 0 where it does not wait
	// TokensOnly says that the viewer is not shown money: there is none in the record.
	tokensOnly bool
}

// Show shows the trace of a run. NotFound for what the viewer may not see.
func (s *Runs) Show(c echo.Context) error {
	site.MayReturn(c)
	v, ctx := request.Viewer(c), c.Request().Context()
	rec, err := s.Records.read(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	verdicts, err := s.Store.Verdicts(ctx, rec.run.ID)
	if err != nil {
		return err
	}
	props := rec.props(site.Words(c), s.Clock.Now())
	props.Verdicts = present.VerdictRows(rec.text, verdicts)
	props.Warnings = rec.budgetWarnings(s.Zone)
	props.Outputs = present.RunOutputs(rec.text, rec.run.State)
	props.Plan = present.PlanOf("plan", rec.run.State.Plan.Steps, rec.run.Status)
	if rec.run.UserID == v.UserID && rec.run.Status == agent.StatusPaused {
		props.Plan.Edit = present.PlanHref(rec.run.ID)
	}
	if props.Flow, err = s.Records.flowProps(ctx, v, rec); err != nil {
		return err
	}
	props.Steps = present.RunSteps(rec.text, rec.run, rec.events, rec.calls)
	props.Yolo = rec.mode == agent.ModeYolo
	props.Raw = v.Role == agent.RoleAdmin
	props.Abortable = !rec.run.Status.Ended() && (rec.run.UserID == v.UserID || v.Role == agent.RoleAdmin)
	if rec.run.UserID != v.UserID {
		props.Owner = rec.owner
	}
	frame := s.Shell(c, site.Within(site.Words(c).T("page.title.run"), rec.conv), "")
	return s.Render(c, http.StatusOK, page.Run(frame, props))
}

// read reads a run with all that happened in it. The check of the viewer
// is in the first query; the rest hangs on that run.
func (s *RunRecords) read(ctx context.Context, v agent.Viewer, id string) (*runRecord, error) {
	run, err := s.Store.Run(ctx, v, id)
	if err != nil {
		return nil, err
	}
	rec := &runRecord{run: *run, text: text.In(ctx)}
	if rec.events, err = s.Store.RunEvents(ctx, id); err != nil {
		return nil, err
	}
	if rec.steps, err = s.Store.Steps(ctx, id); err != nil {
		return nil, err
	}
	if rec.calls, err = s.Store.ToolCalls(ctx, id); err != nil {
		return nil, err
	}
	if rec.open, err = s.Store.PendingApprovalIDs(ctx, id); err != nil {
		return nil, err
	}
	if rec.place, err = s.Store.QueuePlace(ctx, id); err != nil {
		return nil, err
	}
	if s.Visibility.TokensOnly(v) {
		rec.hideMoney()
	}
	owner, err := s.Store.UserByID(ctx, run.UserID)
	if err != nil {
		return nil, err
	}
	rec.owner = present.Person(owner.Name, owner.Email)
	// A reviewer sees the run they are to decide on, not its conversation; its title is on the approval.
	conv, err := s.Store.Conversation(ctx, owner.Viewer(), run.ConversationID)
	if err != nil {
		return nil, err
	}
	rec.conv, rec.mode = site.TitleOf(rec.text, conv.Title), conv.ApprovalMode
	if run.UserID == v.UserID || v.SeesAll() {
		rec.href = "/c/" + run.ConversationID
	}
	return rec, s.readTree(ctx, rec)
}

func (r *runRecord) props(tr *text.Printer, now time.Time) page.RunProps {
	ask, inputs := r.ask(), ""
	if r.run.Lineage.IsChild() {
		ask, inputs = agent.SplitTask(ask)
	}
	p := page.RunProps{
		ID: r.run.ID, Ask: agent.Clip(ask, 2000), Inputs: invisible.Visible(agent.ClipBytes(inputs, 2000)), Status: string(r.run.Status), Tone: statusTone(r.run),
		Sentence: r.sentence(tr), Conversation: r.href, ConversationTitle: r.conv,
		Model: r.run.Model, Started: r.run.StartedAt, Fuses: r.fuses(), Approvals: r.open,
		Trace: present.NewTrace(r.text, present.RunSpans(r.text, r.run, r.events, r.steps, r.calls, now)),
	}
	p.Tree, p.Path, p.Agent = r.treeProps(tr), r.path(tr), r.workedBy(tr)
	u := r.run.Usage
	p.Totals = []page.Total{
		{Label: tr.T("page.run.steps"), Value: fmt.Sprint(r.run.Steps), Note: tr.T("page.run.tool_calls", len(r.calls))},
		{Label: tr.T("page.run.tokens"), Value: tr.Amount(u.Total()), Note: present.UsageHint(tr, u), Exact: fmt.Sprint(u.Total())},
		{Label: tr.T("page.run.cost"), Value: r.price(), Exact: present.ExactMoney(tr, r.run.CostMicros)},
		{Label: tr.T("page.run.time"), Value: present.Seconds(r.run.Active), Note: tr.T("page.run.time_note")},
	}
	if r.tokensOnly {
		p.Totals = slices.Delete(p.Totals, 2, 3)
		p.Trace.NoMoney = true
	}
	return p
}

// hideMoney takes all that is money from the record.
func (r *runRecord) hideMoney() {
	r.tokensOnly, r.run, r.events = true, present.RunWithoutMoney(r.run), present.EventsWithoutMoney(r.events)
	for i := range r.steps {
		r.steps[i].CostMicros = 0
	}
}

// price is what the run costs, as far as anybody knows.
func (r *runRecord) price() string {
	var all agent.SpendRow
	for _, s := range r.steps {
		all.Lines++
		all.CostMicros += s.CostMicros
		if s.Unpriced {
			all.Unpriced++
		}
	}
	return present.SpendCost(r.text, all)
}

// ask is the message that the run answers.
func (r *runRecord) ask() string {
	for _, e := range r.events {
		if m, ok := e.Data.(agent.MessageEvent); ok && m.Message.Asks() {
			return m.Message.Content
		}
	}
	return ""
}

// fuses is the panel of the run; what its links lead to is on other pages.
func (r *runRecord) fuses() []part.Fuse {
	view := present.NewRunView(r.run.ID, agent.DefaultGuardSettings().Critical)
	for _, e := range r.events {
		view.Fold(e)
	}
	view.AddBelow(r.spentBelow())
	fuses := present.FusePanel{Text: r.text, Run: view, Budgets: present.BudgetsSeen(r.events), TokensOnly: r.tokensOnly}.Fuses()
	for i, f := range fuses {
		id, card := strings.CutPrefix(f.Href, "#"+present.CardID(""))
		switch {
		case card:
			fuses[i].Href = "/approvals/" + id
		case f.Href != "" && r.href != "":
			fuses[i].Href = r.href + f.Href
		default:
			fuses[i].Href = ""
		}
	}
	return fuses
}

// budgetWarnings are what a run's page says of budgets that got scarce in it.
func (r *runRecord) budgetWarnings(zone *time.Location) []part.Line {
	var lines []part.Line
	for _, e := range r.events {
		if d, ok := e.Data.(agent.BudgetEvent); ok && d.Level != "" {
			lines = append(lines, present.BudgetLine(r.text, fmt.Sprintf("e-%d", e.Seq), d, zone))
		}
	}
	return lines
}

// Abort is the stop button of the pages: it leads back to the conversation, or stays
// where the page's script has sent it.
func (s *Runs) Abort(c echo.Context) error {
	v, ctx := request.Viewer(c), c.Request().Context()
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	err = s.Service.Runs.Stop(ctx, v, run.ID)
	switch {
	case inPlace(c):
		return answerInPlace(c, s.Records.Visibility, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+run.ConversationID)
}

// CancelCall is the button of a call that runs: it leads back to the conversation.
func (s *Runs) CancelCall(c echo.Context) error {
	run, err := s.Service.Runs.CancelCall(c.Request().Context(), request.Viewer(c), c.Param("id"), c.FormValue("call"))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+run.ConversationID)
}
