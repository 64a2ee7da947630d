package page

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/live"
	"fusebox/web/request"
)

// NotLoop takes the form “This was not a loop” under a decided card.
func (s *Approval) NotLoop(c echo.Context) error {
	g, err := s.Service.Guards.NotLoop(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if agent.CodeOf(err) == agent.Conflict {
		a, loadErr := s.Store.Approval(c.Request().Context(), request.Viewer(c), c.Param("id"))
		if loadErr != nil {
			return loadErr
		}
		return s.show(c, http.StatusConflict, *a, agent.MessageOf(err), live.Typed{})
	}
	if err != nil {
		return err
	}
	if g.Empty() {
		s.Sessions.Flash(c, "Noted as no loop.")
	} else {
		s.Sessions.Flash(c, "Noted as no loop. A rule for "+g.Tool+" is proposed to the admins.")
	}
	return c.Redirect(http.StatusSeeOther, "/approvals/"+url.PathEscape(c.Param("id")))
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
