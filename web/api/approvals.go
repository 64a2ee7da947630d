package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/present"
	"fusebox/web/request"
)

// Approvals answers the calls about approvals.
type Approvals struct {
	Store      service.ApprovalStore
	Clock      agent.Clock
	Service    *service.Service
	Visibility *request.Visibility
}

// List is GET /api/v1/approvals: what the viewer may see.
func (s *Approvals) List(c echo.Context) error {
	v := request.Viewer(c)
	filter, err := request.ApprovalFilter(c.QueryParams(), s.Clock.Now())
	if err != nil {
		return err
	}
	return listPage(c, func(p agent.Page) ([]agent.Approval, string, error) {
		return s.Store.Approvals(c.Request().Context(), v, filter, p)
	}, func(a agent.Approval) approvalBody { return s.view(v, a) })
}

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

// Get is GET /api/v1/approvals/{id}.
func (s *Approvals) Get(c echo.Context) error {
	return s.answer(c, s.Store.Approval)
}

// answer changes the approval that the path names, and sends the result.
func (s *Approvals) answer(c echo.Context, do func(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error)) error {
	a, err := do(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.view(request.Viewer(c), *a))
}

// Decide is POST /api/v1/approvals/{id}/decision. Who decides comes
// from the session or token, never from the body.
func (s *Approvals) Decide(c echo.Context) error {
	var in agent.Decision
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	in.ByProgram = true
	return s.answer(c, func(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error) {
		return s.Service.Approvals.Decide(ctx, v, approvalID, in)
	})
}

// DecideMany is POST /api/v1/approvals/bulk. It answers with a result for
// each approval, in the order of the list; one that fails fails alone.
func (s *Approvals) DecideMany(c echo.Context) error {
	var in struct {
		Decision agent.Verb         `json:"decision"`
		Comment  string             `json:"comment"`
		Items    []service.BulkItem `json:"items"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	results, err := s.Service.Approvals.DecideMany(c.Request().Context(), request.Viewer(c), in.Items, in.Decision, in.Comment)
	return answer(c, http.StatusOK, map[string]any{"results": results}, err)
}

// Undo is POST /api/v1/approvals/{id}/undo.
func (s *Approvals) Undo(c echo.Context) error {
	return s.answer(c, s.Service.Approvals.Undo)
}

// Reopen is POST /api/v1/approvals/{id}/again.
func (s *Approvals) Reopen(c echo.Context) error {
	return s.answer(c, s.Service.Approvals.Reopen)
}

// Revoke is POST /api/v1/approvals/{id}/revoke.
func (s *Approvals) Revoke(c echo.Context) error {
	return s.answer(c, s.Service.Approvals.Revoke)
}

// NotLoop is POST /api/v1/approvals/{id}/not-a-loop. It answers
// with the rule that is proposed, null where the card was about no call.
func (s *Approvals) NotLoop(c echo.Context) error {
	g, err := s.Service.Guards.NotLoop(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	if g.Empty() {
		return c.JSON(http.StatusOK, nil)
	}
	return c.JSON(http.StatusOK, g)
}
