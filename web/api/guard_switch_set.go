package api

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Switch is PUT /api/v1/guards/detectors/{name}.
func (s *Guards) Switch(c echo.Context) error {
	var in struct {
		On *bool `json:"on"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	ctx, name := c.Request().Context(), c.Param("name")
	if err := s.Service.Guards.CheckDetector(name); err != nil {
		return err
	}
	if in.On == nil {
		return agent.InvalidField("on", "is missing; allowed: true, false")
	}
	if err := s.Service.Guards.Switch(ctx, request.Viewer(c), name, *in.On); err != nil {
		return err
	}
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	all, err := s.Service.Guards.Status(ctx, config)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(d service.DetectorStatus) bool { return d.Name == name })
	return c.JSON(http.StatusOK, all[i])
}
