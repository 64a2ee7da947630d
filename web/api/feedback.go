package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Find is GET /api/v1/conversations/{id}/find.
func (s *Conversations) Find(c echo.Context) error {
	items, total, err := s.Service.Conversations.Find(c.Request().Context(), request.Viewer(c), c.Param("id"), c.QueryParam("q"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Items []service.FoundMessage `json:"items"`
		Total int                    `json:"total"`
	}{items, total})
}

// Rate is PUT /api/v1/messages/{id}/feedback.
func (s *Conversations) Rate(c echo.Context) error {
	var in struct {
		Rating agent.Rating `json:"rating"`
		Reason string       `json:"reason"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	err := s.Service.Conversations.Rate(c.Request().Context(), request.Viewer(c), agent.Feedback{MessageID: c.Param("id"), Rating: in.Rating, Reason: in.Reason})
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// Unrate is DELETE /api/v1/messages/{id}/feedback.
func (s *Conversations) Unrate(c echo.Context) error {
	if err := s.Store.RemoveFeedback(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// Feedback is GET /api/v1/feedback, newest first.
func (s *Conversations) Feedback(c echo.Context) error {
	return listPage(c, func(p agent.Page) ([]agent.GivenFeedback, string, error) {
		return s.Store.Feedback(c.Request().Context(), p)
	}, asIs)
}
