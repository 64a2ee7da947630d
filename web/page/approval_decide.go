package page

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/live"
	"fusebox/web/request"
)

// Decide takes the decision form of a card. It leads to the approval's
// page; a decision that was not taken shows that page with the reason, and with
// everything that was typed: 409 with what stands instead, 422 with the errors
// at their fields. The page's script gets the reason alone.
func (s *Approval) Decide(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	a, err := s.Store.Approval(c.Request().Context(), v, id)
	if err != nil {
		return err
	}
	dec, err := s.decisionOf(form, *a)
	if err == nil {
		var done *agent.Approval
		if done, err = s.Desk.Decide(c.Request().Context(), v, id, dec); err == nil {
			a = done
		}
	}
	switch code := agent.CodeOf(err); {
	case inPlace(c):
		return s.answerInPlace(c, err)
	case err == nil:
		s.Sessions.Flash(c, decidedText(*a))
		return c.Redirect(http.StatusSeeOther, "/approvals/"+url.PathEscape(id))
	case code != agent.Conflict && code != agent.Invalid:
		return err
	default:
		return s.refuseDecision(c, id, form, err)
	}
}

// refuseDecision shows the card as it stands now, with what was typed.
func (s *Approval) refuseDecision(c echo.Context, id string, form url.Values, problem error) error {
	a, err := s.Store.Approval(c.Request().Context(), request.Viewer(c), id)
	if err != nil {
		return err
	}
	status := request.StatusOf(agent.CodeOf(problem), http.MethodPost)
	return s.show(c, status, *a, agent.MessageOf(problem), live.Typed{Draft: draftOf(form, *a, problem), Form: form, Problem: problem})
}

// decidedText says what a decision that was taken has led to.
func decidedText(a agent.Approval) string {
	switch {
	case a.Status == agent.ApprovalPending && a.Author != "" && len(a.Votes) == 0:
		return "Your edit is kept. Another reviewer has to approve it."
	case a.Status == agent.ApprovalPending:
		return "Your approval counts. Another reviewer has to approve it as well."
	case !a.EffectiveAt.IsZero():
		return "Decided. It can be undone for a moment."
	default:
		return "Decided. The run goes on by itself."
	}
}
