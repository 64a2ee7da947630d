package page

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/live"
	"fusebox/web/present"
	"fusebox/web/present/jsontext"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Approval shows the pages about approval and takes their forms.
type Approval struct {
	*site.Site
	Cards    *live.Cards
	Presence *live.Presence
	Records  *RunRecords
}

// show renders the page of a, with what was typed into its form if a
// decision was not taken, and why.
func (s *Approval) show(c echo.Context, status int, a agent.Approval, problem string, in live.Typed) error {
	v, ctx := request.Viewer(c), c.Request().Context()
	rec, err := s.Records.read(ctx, v, a.RunID)
	if err != nil {
		return err
	}
	besides, err := s.besides(ctx, v, a)
	if err != nil {
		return err
	}
	siblings, err := s.Store.PendingApprovalIDs(ctx, a.RunID)
	if err != nil {
		return err
	}
	card, err := s.Cards.Alone(ctx, v, a, in)
	if err != nil {
		return err
	}
	name := site.Words(c).T("approval.page.title")
	if card.Settled != nil {
		name = site.Words(c).T("approval.page.title_settled")
	}
	frame := s.Shell(c, site.Within(present.CardHead(text.In(ctx), a), name), "approvals")
	frame.Inbox += "&version=" + strconv.Itoa(a.Version) // what the socket need not send again
	card.CSRF = frame.CSRF
	done, err := takeDecided(c, s.Sessions, s.Store, s.Visibility)
	if err != nil {
		return err
	}
	props := page.ApprovalProps{
		Card: card, Decided: done, NotLoop: notLoopProps(a, card.MayDecide), Problem: problem, Run: a.RunID, Conversation: rec.href, ConversationTitle: rec.conv,
		Owner: rec.owner, Fuses: rec.fuses(), Besides: besides, Mode: present.ModeLabel(site.Words(c), rec.mode), Yolo: rec.mode == agent.ModeYolo,
		Spent: rec.spent(site.Words(c)), Pager: pagerOf(a, siblings),
	}
	props.SoFar, props.Earlier = rec.soFar(site.Words(c))
	return s.Render(c, status, page.Approval(frame, props))
}

// besides counts what else waits and the viewer can decide, and leads to what comes before and
// after a in the inbox.
func (s *Approval) besides(ctx context.Context, v agent.Viewer, a agent.Approval) (b page.Besides, err error) {
	if b.Others, err = s.Store.CountPending(ctx, v, a.ID); err != nil || b.Others == 0 {
		return b, err
	}
	previous, next, err := s.Store.Neighbours(ctx, v, a)
	b.Previous, b.Next = approvalPath(previous), approvalPath(next)
	return b, err
}

// approvalPath is the page of an approval, "" for none.
func approvalPath(id string) string {
	if id == "" {
		return ""
	}
	return "/approvals/" + url.PathEscape(id)
}

// spent is what the run has taken until now.
func (r *runRecord) spent(tr *text.Printer) string {
	tokens := tr.Amount(r.run.Usage.Total())
	if r.tokensOnly {
		return tr.T("page.approval.spent_tokens", tokens)
	}
	return tr.T("page.approval.spent", tokens, present.Money(r.run.CostMicros))
}

// soFar lists what was said and done in the run, the newest at the end, and
// how many entries it leaves out at the beginning.
func (r *runRecord) soFar(tr *text.Printer) (list []page.SoFar, earlier int) {
	for _, e := range r.events {
		if m, ok := e.Data.(agent.MessageEvent); ok {
			list = append(list, r.said(tr, m.Message)...)
		}
	}
	earlier = max(0, len(list)-live.MaxSoFar)
	return list[earlier:], earlier
}

// said is one message as entries: its text, and one for each call it asks for.
func (r *runRecord) said(tr *text.Printer, m agent.Message) []page.SoFar {
	switch m.Role {
	case agent.FromUser:
		return []page.SoFar{entry(tr, cmp.Or(m.SaidBy, r.caller(tr), r.owner), m.Content, m.ToolCallID != "")}
	case agent.FromTool:
		return []page.SoFar{entry(tr, tr.T("page.approval.result"), m.Content, true)}
	case agent.FromAssistant:
	}
	var list []page.SoFar
	if m.Content != "" {
		list = append(list, entry(tr, tr.T("page.approval.model"), m.Content, false))
	}
	for _, call := range m.ToolCalls {
		list = append(list, entry(tr, tr.T("page.approval.calls", call.Name), jsontext.Short(call.Arguments), true))
	}
	return list
}

// entry folds a text: its first words, and the whole of it where that is more.
func entry(tr *text.Printer, who, whole string, mono bool) page.SoFar {
	e := page.SoFar{Who: who, Gist: agent.Clip(whole, live.MaxSoFarGist), Mono: mono}
	if e.Gist != whole {
		e.Text = agent.ClipBytes(whole, live.MaxSoFarText)
	}
	if more := len(whole) - len(e.Text); e.Text != "" && more > 0 {
		e.Text = strings.Join([]string{e.Text, tr.T("page.approval.cut", more)}, "\n")
	}
	return e
}

// Open is GET /approvals/{id}: the approval's page. That the viewer has
// seen it is noted beside the answer; of the approval itself nothing changes.
func (s *Approval) Open(c echo.Context) error {
	site.MayReturn(c)
	a, err := s.Store.Approval(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	if err := s.show(c, http.StatusOK, *a, "", live.Typed{}); err != nil {
		return err
	}
	s.Presence.NoteLook(request.Viewer(c), c.Param("id"))
	return nil
}

// Look is the sign that an open page gives every few seconds: its
// reader is still looking. It claims nothing and blocks nobody. Forbidden for
// those who may not decide, since others need not wait for them.
func (s *Approval) Look(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	a, err := s.Store.Approval(c.Request().Context(), v, id)
	if err != nil {
		return err
	}
	if !s.Service.Approvals.MayDecide(v, *a) {
		return agent.Errorf(agent.Forbidden, "Only people who can decide this approval count as looking at it.")
	}
	if err := s.Store.NotePresence(c.Request().Context(), v, id, c.FormValue("opened") == "true"); err != nil {
		return err
	}
	s.Presence.Stir()
	return c.NoContent(http.StatusNoContent)
}

// NotLoop takes the form “This was not a loop” under a decided card.
func (s *Approval) NotLoop(c echo.Context) error {
	g, err := s.Service.Guards.NotLoop(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if agent.CodeOf(err) == agent.Conflict {
		return s.refuse(c, err, live.Typed{})
	}
	if err != nil {
		return err
	}
	said := site.Words(c).T("page.approval.no_loop_rule", g.Tool)
	if g.Empty() {
		said = site.Words(c).T("page.approval.no_loop")
	}
	return s.Back(c, "/approvals/"+url.PathEscape(c.Param("id")), said)
}

// notLoopProps offers to say that a decided card was no loop, to those who may.
func notLoopProps(a agent.Approval, mayDecide bool) page.NotLoop {
	p := page.NotLoop{Noted: a.NotLoop}
	if a.Kind != agent.KindLoop || a.Status != agent.ApprovalDecided {
		return p
	}
	p.Proposes = agent.ProposedRule(a).Tool
	if mayDecide {
		p.Action = "/approvals/" + url.PathEscape(a.ID) + "/not-a-loop"
	}
	return p
}

// pagerOf leads through the approvals of an answer that wait, oldest first; from one
// that was decided to the first of them.
func pagerOf(a agent.Approval, waiting []string) page.ApprovalPager {
	p := page.ApprovalPager{Of: len(waiting), All: "/approvals?status=pending&runId=" + url.QueryEscape(a.RunID)}
	at := slices.Index(waiting, a.ID)
	p.At = at + 1
	if at > 0 {
		p.Previous = "/approvals/" + url.PathEscape(waiting[at-1])
	}
	if p.At < len(waiting) {
		p.Next = "/approvals/" + url.PathEscape(waiting[p.At])
	}
	return p
}
