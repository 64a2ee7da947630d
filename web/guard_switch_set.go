package web

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardSwitchSet is PUT /api/v1/guards/detectors/{name}.
func (s *Server) guardSwitchSet(c echo.Context) error {
	var in struct {
		On *bool `json:"on"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	name := c.Param("name")
	switch {
	case !s.knowsDetector(name):
		return noDetector(name)
	case in.On == nil:
		return agent.InvalidField("on", "is missing; allowed: true, false")
	}
	ctx := c.Request().Context()
	if err := s.Store.SetGuardSwitch(ctx, viewerOf(c).Email, name, *in.On); err != nil {
		return err
	}
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	views, err := s.detectors(ctx, config)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(views, func(v detectorView) bool { return v.Name == name })
	return c.JSON(http.StatusOK, views[i])
}

func (s *Server) knowsDetector(name string) bool {
	return slices.ContainsFunc(s.Detectors, func(d agent.Detector) bool { return d.Name == name })
}

func noDetector(name string) error {
	return agent.Errorf(agent.NotFound, "There is no detector %s.", clip(name, 60))
}
