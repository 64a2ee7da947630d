package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/present/gist"
	"fusebox/web/request"
)

// Versions answers the calls about messages and their versions.
type Versions struct {
	Messages *service.Messages
	Tools    agent.Toolbox
}

// Regenerate is POST /api/v1/messages/{id}/regenerate.
func (s *Versions) Regenerate(c echo.Context) error {
	var in struct {
		Model     string `json:"model"`
		Supersede bool   `json:"supersede"`
		Replace   bool   `json:"replace"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	done, err := s.Messages.Regenerate(c.Request().Context(), request.Viewer(c), service.Regenerate{
		MessageID: c.Param("id"), Model: in.Model, Supersede: in.Supersede, Replace: in.Replace,
	})
	return answer(c, http.StatusAccepted, done, err)
}

// Continue is POST /api/v1/messages/{id}/continue.
func (s *Versions) Continue(c echo.Context) error {
	done, err := s.Messages.Continue(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return answer(c, http.StatusAccepted, done, err)
}

// Below is GET /api/v1/messages/{id}/below: how much would go with the message.
func (s *Versions) Below(c echo.Context) error {
	below, err := s.Messages.Below(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return answer(c, http.StatusOK, below, err)
}

// Delete is DELETE /api/v1/messages/{id}.
func (s *Versions) Delete(c echo.Context) error {
	gone, err := s.Messages.DeleteMessage(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return answer(c, http.StatusOK, gone, err)
}

// effect is a call that has changed something, or may have.
type effect struct {
	RunID      string `json:"runId"`
	ToolCallID string `json:"toolCallId"`
	Tool       string `json:"tool"`
	// What says what the call is about, "" where its arguments do not.
	What string `json:"what"`
}

// Effects is GET /api/v1/messages/{id}/effects.
func (s *Versions) Effects(c echo.Context) error {
	calls, err := s.Messages.Effects(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	effects := make([]effect, len(calls))
	for i, call := range calls {
		spec, _ := s.Tools.Lookup(call.Name)
		effects[i] = effect{RunID: call.RunID, ToolCallID: call.ID, Tool: call.Name, What: gist.OfCall(call.Name, call.Args, spec.Parameters)}
	}
	return c.JSON(http.StatusOK, request.Listing[effect]{Items: effects})
}
