package api

import (
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/live"
	"fusebox/web/request"
)

// Conversations answers the calls about conversations.
type Conversations struct {
	Store      service.ConversationStore
	Logger     *slog.Logger
	Service    *service.Service
	Streams    *live.Streams
	Visibility *request.Visibility
	Log        *live.EventLog
}

// List is GET /api/v1/conversations: the viewer's own.
func (s *Conversations) List(c echo.Context) error {
	return listPage(c, func(p agent.Page) ([]agent.Conversation, string, error) {
		return s.Store.Conversations(c.Request().Context(), request.Viewer(c).UserID, c.QueryParam("search"), p)
	}, conversationJSON)
}

// Create is POST /api/v1/conversations.
func (s *Conversations) Create(c echo.Context) error {
	var in agent.ConversationPatch
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	conv, err := s.Service.Conversations.Create(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/conversations/"+conv.ID)
	return c.JSON(http.StatusCreated, conversationJSON(conv))
}

type conversationView struct {
	agent.Conversation
	CreatedAt *string `json:"createdAt"`
	UpdatedAt *string `json:"updatedAt"`
}

func conversationJSON(c agent.Conversation) conversationView {
	return conversationView{Conversation: c, CreatedAt: request.RFC3339(c.CreatedAt), UpdatedAt: request.RFC3339(c.UpdatedAt)}
}

// Get is GET /api/v1/conversations/{id}.
func (s *Conversations) Get(c echo.Context) error {
	conv, err := s.Store.Conversation(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, conversationJSON(*conv))
}

// Update is PATCH /api/v1/conversations/{id}.
func (s *Conversations) Update(c echo.Context) error {
	var in agent.ConversationPatch
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	ctx, v, id := c.Request().Context(), request.Viewer(c), c.Param("id")
	have, err := s.Service.Conversations.Own(ctx, v, id)
	if err != nil {
		return err
	}
	conv, err := s.Service.Conversations.Update(ctx, v, *have, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, conversationJSON(*conv))
}

// Delete is DELETE /api/v1/conversations/{id}.
func (s *Conversations) Delete(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Service.Conversations.Delete(c.Request().Context(), request.Viewer(c), c.Param("id")))
}

// chatRulesBody is what people may set for their own chats, as the API shows it.
type chatRulesBody struct {
	Instructions bool  `json:"instructions"`
	Titles       bool  `json:"titles"`
	MaxRunTokens int64 `json:"maxRunTokens"`
	MaxRunMicros int64 `json:"maxRunCostMicros"`
}

// Rules is GET /api/v1/chat-rules.
func (s *Conversations) Rules(c echo.Context) error {
	r, err := s.Service.Conversations.Rules(c.Request().Context())
	body := chatRulesBody{Instructions: !r.NoInstructions, Titles: !r.NoTitles, MaxRunTokens: r.MaxRunTokens, MaxRunMicros: r.MaxRunMicros}
	return answer(c, http.StatusOK, body, err)
}

// SetRules is PUT /api/v1/chat-rules.
func (s *Conversations) SetRules(c echo.Context) error {
	in := chatRulesBody{Instructions: true, Titles: true}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	rules := agent.ChatRules{NoInstructions: !in.Instructions, NoTitles: !in.Titles, MaxRunTokens: in.MaxRunTokens, MaxRunMicros: in.MaxRunMicros}
	if err := s.Service.Conversations.SetRules(c.Request().Context(), request.Viewer(c), rules); err != nil {
		return err
	}
	return s.Rules(c)
}
