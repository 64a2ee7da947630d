package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardNumberSet is PUT /api/v1/guards/numbers/{key}. Empty texts go back to
// the configuration of the process.
func (s *Server) guardNumberSet(c echo.Context) error {
	var in agent.GuardOverride
	if err := readJSON(c, &in); err != nil {
		return err
	}
	ctx := c.Request().Context()
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	in = agent.GuardOverride{Value: strings.TrimSpace(in.Value), Most: strings.TrimSpace(in.Most)}
	if err := config.CheckNumber(s.Guards, c.Param("key"), in); err != nil {
		return err
	}
	n, _ := agent.FindGuardNumber(c.Param("key"))
	if err := s.Store.SetGuardNumber(ctx, viewerOf(c).Email, n.Key, in); err != nil {
		return err
	}
	if config, err = s.Store.GuardConfig(ctx); err != nil {
		return err
	}
	views := s.guardNumbers(config)
	i := slices.IndexFunc(views, func(v numberView) bool { return v.Key == n.Key })
	return c.JSON(http.StatusOK, views[i])
}
