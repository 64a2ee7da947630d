package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// List is GET /api/v1/guards.
func (s *Guards) List(c echo.Context) error {
	ctx := c.Request().Context()
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	detectors, err := s.Service.Guards.Status(ctx, config)
	if err != nil {
		return err
	}
	rules, err := s.Store.GuardRules(ctx)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Detectors []service.DetectorStatus    `json:"detectors"`
		Numbers   []service.GuardNumberStatus `json:"numbers"`
		Rules     []agent.GuardRule           `json:"rules"`
	}{detectors, s.Service.Guards.Numbers(config), request.NotNull(rules)})
}
