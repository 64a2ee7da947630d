package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/present"
	"fusebox/web/request"
)

// List is GET /api/v1/approvals: what the viewer may see.
func (s *Approvals) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	filter, err := request.ApprovalFilter(c.QueryParams(), s.Clock.Now())
	if err != nil {
		return err
	}
	items, next, err := s.Store.Approvals(c.Request().Context(), request.Viewer(c), filter, p)
	if err != nil {
		return err
	}
	views := make([]approvalBody, len(items))
	for i, a := range items {
		views[i] = s.view(request.Viewer(c), a)
	}
	return c.JSON(http.StatusOK, request.Listing[approvalBody]{Items: views, NextCursor: next})
}

// approvalBody is an approval as the API shows it.
type approvalBody struct {
	agent.Approval
	RequestedAt *string `json:"requestedAt"`
	ExpiresAt   *string `json:"expiresAt"`
	DecidedAt   *string `json:"decidedAt,omitempty"`
}

func (s *Approvals) view(v agent.Viewer, a agent.Approval) approvalBody {
	if s.Visibility.TokensOnly(v) {
		a = present.ApprovalWithoutMoney(a)
	}
	return approvalBody{
		Approval: a, RequestedAt: request.RFC3339(a.RequestedAt), ExpiresAt: request.RFC3339(a.ExpiresAt), DecidedAt: request.RFC3339(a.DecidedAt),
	}
}
