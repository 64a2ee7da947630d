package page

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/request"
)

// ShowTakeover is the page on which a person writes the answer of a run in its place.
// Who may not do that, or is too late, is led to the run.
func (s *Runs) ShowTakeover(c echo.Context) error {
	v := request.Viewer(c)
	run, err := s.Store.Run(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return err
	}
	if run.Status.Ended() || run.UserID != v.UserID && v.Role != agent.RoleAdmin {
		return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
	}
	return s.showTakeover(c, http.StatusOK, page.TakeoverProps{})
}

// TakeOver ends a run with what a person wrote.
func (s *Runs) TakeOver(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	answer := c.FormValue("answer")
	return s.answer(c, postedForm{
		save: func() (said, next string, err error) {
			return words(c).T("page.takeover.done"), "/c/" + run.ConversationID, s.Commands.TakeOver(ctx, v, run.ID, answer)
		},
		again: func(status int, fields map[string]string, problem string) error {
			if fields["answer"] != "" && strings.TrimSpace(answer) == "" {
				fields["answer"] = words(c).T("takeover.empty")
			}
			return s.showTakeover(c, status, page.TakeoverProps{Answer: answer, Error: fields["answer"], Problem: problem})
		},
	})
}

// showTakeover shows the form with what the run is about.
func (s *Runs) showTakeover(c echo.Context, status int, p page.TakeoverProps) error {
	rec, err := s.Records.read(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	p.Run, p.Ask = rec.run.ID, agent.Clip(rec.ask(), 2000)
	p.Conversation, p.ConversationTitle = rec.href, rec.conv
	return s.render(c, status, page.Takeover(s.shell(c, within(words(c).T("takeover.title"), rec.conv), ""), p))
}
