package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// approvalList is GET /api/v1/approvals: what the viewer may see.
func (s *apiApprovals) approvalList(c echo.Context) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	filter, err := approvalFilter(c.QueryParams(), s.Clock.Now())
	if err != nil {
		return err
	}
	items, next, err := s.Store.Approvals(c.Request().Context(), viewerOf(c), filter, p)
	if err != nil {
		return err
	}
	views := make([]approvalBody, len(items))
	for i, a := range items {
		views[i] = s.approvalJSON(viewerOf(c), a)
	}
	return c.JSON(http.StatusOK, listing[approvalBody]{views, next})
}

// approvalBody is an approval as the API shows it.
type approvalBody struct {
	agent.Approval
	RequestedAt *string `json:"requestedAt"`
	ExpiresAt   *string `json:"expiresAt"`
	DecidedAt   *string `json:"decidedAt,omitempty"`
}

func (s *apiApprovals) approvalJSON(v agent.Viewer, a agent.Approval) approvalBody {
	if s.Visibility.tokensOnly(v) {
		a = approvalWithoutMoney(a)
	}
	return approvalBody{
		Approval: a, RequestedAt: rfc3339(a.RequestedAt), ExpiresAt: rfc3339(a.ExpiresAt), DecidedAt: rfc3339(a.DecidedAt),
	}
}
