package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Memories answers the calls about what is remembered about the viewer.
type Memories struct {
	Store   service.Store
	Service *service.Service
}

// List is GET /api/v1/memories.
func (s *Memories) List(c echo.Context) error {
	ctx, userID := c.Request().Context(), request.Viewer(c).UserID
	account, err := s.Store.UserByID(ctx, userID)
	if err != nil {
		return err
	}
	facts, err := s.Service.Memory.Search(ctx, userID, c.QueryParam("search"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		On    bool         `json:"on"`
		Items []agent.Fact `json:"items"`
	}{!account.MemoryOff, request.NotNull(facts)})
}

// Create is POST /api/v1/memories. Conflict for a fact that is there.
func (s *Memories) Create(c echo.Context) error {
	text, err := factIn(c)
	if err != nil {
		return err
	}
	f, err := s.Service.Memory.Add(c.Request().Context(), request.Viewer(c).UserID, text)
	return answer(c, http.StatusCreated, f, err)
}

// Change is PATCH /api/v1/memories/{id}. NotFound for others' facts.
func (s *Memories) Change(c echo.Context) error {
	text, err := factIn(c)
	if err != nil {
		return err
	}
	return noContent(c, http.StatusNoContent, s.Service.Memory.Change(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), text))
}

func factIn(c echo.Context) (string, error) {
	var in struct {
		Text string `json:"text"`
	}
	err := request.ReadJSON(c, &in)
	return in.Text, err
}

// Delete is DELETE /api/v1/memories/{id}. NotFound for others' facts.
func (s *Memories) Delete(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Store.DeleteFact(c.Request().Context(), request.Viewer(c).UserID, c.Param("id")))
}

// DeleteAll is DELETE /api/v1/memories.
func (s *Memories) DeleteAll(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Store.DeleteFacts(c.Request().Context(), request.Viewer(c).UserID))
}

// Switch is PATCH /api/v1/memories.
func (s *Memories) Switch(c echo.Context) error {
	var in struct {
		On *bool `json:"on"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if in.On == nil {
		return agent.InvalidField("on", "is missing; allowed: true, false")
	}
	return noContent(c, http.StatusNoContent, s.Store.SetMemory(c.Request().Context(), request.Viewer(c).UserID, *in.On))
}
