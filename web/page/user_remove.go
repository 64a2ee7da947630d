package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

// ShowRemove asks whether an account is to be removed.
func (s *Users) ShowRemove(c echo.Context) error { return s.showRemove(c, http.StatusOK, "") }

// showRemove names what goes with an account; problem is why it was not removed.
func (s *Users) showRemove(c echo.Context, status int, problem string) error {
	u, data, err := s.Service.Users.Data(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	tr := words(c)
	p := page.UserRemoveProps{ID: u.ID, Email: u.Email, Problem: problem, Goes: whatGoes(tr, data), Stays: []string{
		tr.T("user.remove.bill", agent.RemovedUser(u.ID)), tr.T("user.remove.audit"), tr.T("user.remove.decisions"),
	}}
	switch {
	case u.ID == request.Viewer(c).UserID:
		p.Refused, p.Problem = true, tr.T("user.remove.self")
	case data.Active > 0:
		p.Refused, p.Problem = true, tr.T("user.remove.active", data.Active)
	}
	return s.render(c, status, page.UserRemove(s.shell(c, tr.T("user.remove.title", u.Email), "users"), p))
}

func whatGoes(tr *text.Printer, d agent.UserData) []string {
	return []string{
		tr.T("user.remove.conversations", d.Conversations), tr.T("user.remove.runs", d.Runs), tr.T("user.remove.files"),
		tr.T("user.remove.tokens", d.Tokens), tr.T("user.remove.budgets", d.Budgets),
	}
}

// Remove removes an account with what belongs to it.
func (s *Users) Remove(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	u, _, err := s.Service.Users.Data(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.Service.Users.Remove(ctx, request.Viewer(c), id)
	if agent.CodeOf(err) == agent.Conflict {
		return s.showRemove(c, http.StatusConflict, request.Said(words(c), err))
	}
	if err != nil {
		return err
	}
	s.Sessions.Flash(c, words(c).T("page.users.removed", u.Email))
	return c.Redirect(http.StatusSeeOther, "/admin/users")
}
