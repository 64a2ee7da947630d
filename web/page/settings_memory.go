package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
	"fusebox/web/site"
)

const memoryPath = "/settings/memory"

// ShowMemory lists what is remembered about the viewer.
func (s *Settings) ShowMemory(c echo.Context) error {
	return s.showMemory(c, http.StatusOK, page.MemoryProps{})
}

// showMemory fills in the list; p has what was typed, and what is wrong with it.
func (s *Settings) showMemory(c echo.Context, status int, p page.MemoryProps) error {
	ctx, userID := c.Request().Context(), request.Viewer(c).UserID
	account, err := s.Store.UserByID(ctx, userID)
	if err != nil {
		return err
	}
	p.On, p.Query, p.Most = !account.MemoryOff, site.Searched(c), agent.MaxFact
	facts, err := s.Service.Memory.Search(ctx, userID, p.Query)
	if err != nil {
		return err
	}
	for _, f := range facts {
		row := page.FactRow{ID: f.ID, Text: invisible.Visible(f.Text), Typed: f.Text, Created: f.CreatedAt, Changed: f.ChangedAt, Chat: f.ConversationID}
		if p.Edited.ID == f.ID { // it keeps what was typed
			row.Typed, row.Error = p.Edited.Typed, p.Edited.Error
		}
		p.Facts = append(p.Facts, row)
	}
	return s.Render(c, status, page.SettingsMemory(s.settingsFrame(c, site.Words(c).T("settings.nav.memory"), "memory"), p))
}

// AddFact stores what the viewer writes.
func (s *Settings) AddFact(c echo.Context) error {
	typed := c.FormValue("text")
	_, err := s.Service.Memory.Add(c.Request().Context(), request.Viewer(c).UserID, typed)
	if problem, status := factProblem(c, err); problem != "" {
		return s.showMemory(c, status, page.MemoryProps{Typed: typed, Error: problem})
	}
	return s.toMemory(c, err, site.Words(c).T("page.settings.fact_added"))
}

// ChangeFact changes the text of one of the viewer's facts.
func (s *Settings) ChangeFact(c echo.Context) error {
	typed := c.FormValue("text")
	err := s.Service.Memory.Change(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), typed)
	if problem, status := factProblem(c, err); problem != "" {
		return s.showMemory(c, status, page.MemoryProps{Edited: page.FactRow{ID: c.Param("id"), Typed: typed, Error: problem}})
	}
	return s.toMemory(c, err, site.Words(c).T("page.settings.fact_changed"))
}

// factProblem words what is wrong with a text, "" for nothing.
func factProblem(c echo.Context, err error) (problem string, status int) {
	switch agent.CodeOf(err) {
	case agent.Invalid:
		return request.FieldErrors(site.Words(c), err)["text"], http.StatusUnprocessableEntity
	case agent.Conflict:
		return request.Said(site.Words(c), err), http.StatusConflict
	default:
		return "", 0
	}
}

// DeleteFact deletes one of the viewer's facts.
func (s *Settings) DeleteFact(c echo.Context) error {
	err := s.Store.DeleteFact(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"))
	return s.toMemory(c, err, site.Words(c).T("page.settings.fact_deleted"))
}

// DeleteFacts deletes everything remembered about the viewer.
func (s *Settings) DeleteFacts(c echo.Context) error {
	err := s.Store.DeleteFacts(c.Request().Context(), request.Viewer(c).UserID)
	return s.toMemory(c, err, site.Words(c).T("page.settings.facts_deleted"))
}

// SetMemory switches the viewer's memory on or off.
func (s *Settings) SetMemory(c echo.Context) error {
	on, said := c.FormValue("on") == "true", site.Words(c).T("page.settings.memory_off")
	if on {
		said = site.Words(c).T("page.settings.memory_on")
	}
	return s.toMemory(c, s.Store.SetMemory(c.Request().Context(), request.Viewer(c).UserID, on), said)
}

// toMemory goes back to the page and says there what was done.
func (s *Settings) toMemory(c echo.Context, err error, said string) error {
	if err != nil {
		return err
	}
	return s.Back(c, memoryPath, said)
}
