package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardRuleAccept is POST /api/v1/guards/rules/{id}/accept.
func (s *Server) guardRuleAccept(c echo.Context) error {
	g, err := s.acceptRule(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, g)
}

// acceptRule puts the proposal of :id in force. Conflict where it is no
// proposal any more.
func (s *Server) acceptRule(c echo.Context) (*agent.GuardRule, error) {
	ctx := c.Request().Context()
	g, err := s.Store.GuardRule(ctx, c.Param("id"))
	if err != nil {
		return nil, err
	}
	switch g.State {
	case agent.RuleActive:
		return nil, agent.Errorf(agent.Conflict, "The rule for %s is in force already.", g.Tool)
	case agent.RuleDismissed:
		return nil, agent.Errorf(agent.Conflict, "The rule for %s was dismissed in the meantime.", g.Tool)
	}
	g.State, g.Actor, g.At = agent.RuleActive, viewerOf(c).Email, agent.Stamp(s.Clock)
	return g, s.Store.SaveRule(ctx, *g)
}
