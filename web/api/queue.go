package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Queue is GET /api/v1/conversations/{id}/queue: what waits there, whole.
func (s *Conversations) Queue(c echo.Context) error {
	q, err := s.Service.Messages.Queue(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return answer(c, http.StatusOK, q, err)
}

// ChangeQueued is PATCH /api/v1/conversations/{id}/queue/{queued}.
func (s *Conversations) ChangeQueued(c echo.Context) error {
	var in struct {
		Content  *string `json:"content"`
		Position *int    `json:"position"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	err := s.Service.Messages.ChangeQueued(c.Request().Context(), request.Viewer(c), c.Param("id"), c.Param("queued"), agent.QueuedPatch(in))
	return noContent(c, http.StatusNoContent, err)
}

// RemoveQueued is DELETE /api/v1/conversations/{id}/queue/{queued}.
func (s *Conversations) RemoveQueued(c echo.Context) error {
	err := s.Service.Messages.RemoveQueued(c.Request().Context(), request.Viewer(c), c.Param("id"), c.Param("queued"))
	return noContent(c, http.StatusNoContent, err)
}

// ResumeQueue is POST /api/v1/conversations/{id}/queue/resume.
func (s *Conversations) ResumeQueue(c echo.Context) error {
	return noContent(c, http.StatusAccepted, s.Service.Messages.ResumeQueue(c.Request().Context(), request.Viewer(c), c.Param("id")))
}

// SteerQueued is POST /api/v1/conversations/{id}/queue/{queued}/steer.
func (s *Conversations) SteerQueued(c echo.Context) error {
	done, err := s.Service.Messages.SteerQueued(c.Request().Context(), request.Viewer(c), c.Param("id"), c.Param("queued"))
	return answer(c, http.StatusAccepted, steerBody{done.ID, done.SteersRunID, done.GoesIn}, err)
}

// steerBody says which run hears what a person has said, and when.
type steerBody struct {
	ID     string       `json:"id"`
	RunID  string       `json:"runId"`
	GoesIn agent.GoesIn `json:"goesIn"`
}

// Steer is POST /api/v1/runs/{id}/steer.
func (s *Runs) Steer(c echo.Context) error {
	var in struct {
		Content  string `json:"content"`
		ClientID string `json:"clientId"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	done, err := s.Messages.Steer(c.Request().Context(), request.Viewer(c), c.Param("id"), service.Post{Content: in.Content, ClientID: in.ClientID})
	return answer(c, http.StatusAccepted, steerBody{done.ID, done.SteersRunID, done.GoesIn}, err)
}
