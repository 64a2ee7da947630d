package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

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
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, chatRulesBody{Instructions: !r.NoInstructions, Titles: !r.NoTitles, MaxRunTokens: r.MaxRunTokens, MaxRunMicros: r.MaxRunMicros})
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
