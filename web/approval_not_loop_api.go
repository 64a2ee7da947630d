package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// approvalNotLoopAPI is POST /api/v1/approvals/{id}/not-a-loop. It answers
// with the rule that is proposed, null where the card was about no call.
func (s *Server) approvalNotLoopAPI(c echo.Context) error {
	g, err := s.notLoop(c)
	if err != nil {
		return err
	}
	if g.Empty() {
		return c.JSON(http.StatusOK, nil)
	}
	return c.JSON(http.StatusOK, g)
}

// notLoop notes that the decided loop card of :id was no loop, and proposes
// the rule that would have kept it from being. Forbidden for who may not
// decide it, Conflict for other cards and for what is noted already.
func (s *Server) notLoop(c echo.Context) (agent.GuardRule, error) {
	ctx, v := c.Request().Context(), viewerOf(c)
	a, err := s.Store.Approval(ctx, v, c.Param("id"))
	if err != nil {
		return agent.GuardRule{}, err
	}
	switch {
	case !s.Desk.MayDecide(v, *a):
		return agent.GuardRule{}, agent.Errorf(agent.Forbidden, "Only who may decide this card can say that it was no loop.")
	case a.Kind != agent.KindLoop:
		return agent.GuardRule{}, agent.Errorf(agent.Conflict, "This card is about no loop.")
	case a.Status != agent.ApprovalDecided:
		return agent.GuardRule{}, agent.Errorf(agent.Conflict, "Decide the card first; then say that it was no loop.")
	}
	g := agent.GuardRule{
		ID: s.NewID(), ToolRule: agent.ProposedRule(*a), State: agent.RuleProposed,
		ApprovalID: a.ID, Actor: v.Email, At: agent.Stamp(s.Clock),
	}
	return g, s.Store.ProposeRule(ctx, g)
}
