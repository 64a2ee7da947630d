package api

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Messages is GET /api/v1/conversations/{id}/messages: the branch that is chosen, or the one that branch names.
func (s *Conversations) Messages(c echo.Context) error {
	messages, err := s.Store.Branch(c.Request().Context(), request.Viewer(c), c.Param("id"), c.QueryParam("branch"))
	return answer(c, http.StatusOK, request.Listing[agent.Message]{Items: messages}, err)
}

// Send is POST /api/v1/conversations/{id}/messages.
func (s *Conversations) Send(c echo.Context) error {
	var in struct {
		Content   string                     `json:"content"`
		ClientID  string                     `json:"clientId"`
		ParentID  string                     `json:"parentId"`
		Document  string                     `json:"documentId"`
		Agent     string                     `json:"agent"`
		Workflow  string                     `json:"workflow"`
		Inputs    map[string]json.RawMessage `json:"inputs"`
		Supersede bool                       `json:"supersede"`
		Queue     bool                       `json:"queue"`
		Outputs   map[string]string          `json:"outputs"`
		Purposes  map[string]string          `json:"outputPurposes"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	done, err := s.Service.Messages.Post(c.Request().Context(), request.Viewer(c), service.Post{
		ConversationID: c.Param("id"), Content: in.Content, ClientID: in.ClientID, DocumentID: in.Document, Agent: in.Agent, Workflow: in.Workflow, Inputs: in.Inputs,
		ParentID: in.ParentID, Supersede: in.Supersede, Queue: in.Queue, Outputs: in.Outputs, Purposes: in.Purposes,
	})
	if err != nil {
		return err
	}
	if done.QueuedID != "" {
		return c.JSON(http.StatusAccepted, map[string]string{"queuedId": done.QueuedID})
	}
	return c.JSON(http.StatusAccepted, done)
}

// Pin is PUT /api/v1/conversations/{id}/messages/{message}/pin.
func (s *Conversations) Pin(c echo.Context) error {
	var in struct {
		Pinned bool `json:"pinned"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	err := s.Store.SetPinned(c.Request().Context(), request.Viewer(c), c.Param("id"), c.Param("message"), in.Pinned)
	return noContent(c, http.StatusNoContent, err)
}

// Find is GET /api/v1/conversations/{id}/find.
func (s *Conversations) Find(c echo.Context) error {
	items, total, err := s.Service.Conversations.Find(c.Request().Context(), request.Viewer(c), c.Param("id"), c.QueryParam("q"))
	return answer(c, http.StatusOK, struct {
		Items []service.FoundMessage `json:"items"`
		Total int                    `json:"total"`
	}{items, total}, err)
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
	return noContent(c, http.StatusNoContent, err)
}

// Unrate is DELETE /api/v1/messages/{id}/feedback.
func (s *Conversations) Unrate(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Store.RemoveFeedback(c.Request().Context(), request.Viewer(c), c.Param("id")))
}

// Feedback is GET /api/v1/feedback, newest first.
func (s *Conversations) Feedback(c echo.Context) error {
	return listPage(c, func(p agent.Page) ([]agent.GivenFeedback, string, error) {
		return s.Store.Feedback(c.Request().Context(), p)
	}, asIs)
}
