package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// approvalList is GET /api/v1/approvals: what the viewer may see.
func (s *Server) approvalList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	filter, err := approvalFilter(c)
	if err != nil {
		return err
	}
	items, next, err := s.Store.Approvals(c.Request().Context(), viewerOf(c), filter, p)
	if err != nil {
		return err
	}
	views := make([]approvalBody, len(items))
	for i, a := range items {
		views[i] = approvalJSON(a)
	}
	return c.JSON(http.StatusOK, listing[approvalBody]{views, next})
}

// approvalFilter reads ?status=, ?kind=, ?risk= and ?runId=.
func approvalFilter(c echo.Context) (agent.ApprovalFilter, error) {
	f := agent.ApprovalFilter{
		Status: agent.ApprovalStatus(c.QueryParam("status")), Kind: agent.ApprovalKind(c.QueryParam("kind")),
		Risk: agent.Risk(c.QueryParam("risk")), RunID: c.QueryParam("runId"),
	}
	if err := oneOf("status", f.Status, agent.ApprovalPending, agent.ApprovalDecided, agent.ApprovalExpired, agent.ApprovalCancelled); err != nil {
		return f, err
	}
	if err := oneOf("kind", f.Kind, agent.KindTool, agent.KindLoop, agent.KindBudget, agent.KindQuestion, agent.KindOutcome); err != nil {
		return f, err
	}
	return f, oneOf("risk", f.Risk, agent.RiskLow, agent.RiskMedium, agent.RiskHigh, agent.RiskCritical)
}

// approvalBody is an approval as the API shows it.
type approvalBody struct {
	agent.Approval
	RequestedAt *string `json:"requestedAt"`
	ExpiresAt   *string `json:"expiresAt"`
	DecidedAt   *string `json:"decidedAt,omitempty"`
}

func approvalJSON(a agent.Approval) approvalBody {
	return approvalBody{
		Approval: a, RequestedAt: rfc3339(a.RequestedAt), ExpiresAt: rfc3339(a.ExpiresAt), DecidedAt: rfc3339(a.DecidedAt),
	}
}
