package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Learning is GET /api/v1/guards/learning.
func (s *Guards) Learning(c echo.Context) error {
	from, to, err := request.BacktestDays(c.QueryParam("from"), c.QueryParam("to"), s.Clock.Now())
	if err != nil {
		return err
	}
	search := c.QueryParam("search")
	if search != "" && search != "true" && search != "false" {
		return agent.InvalidField("search", "%q is not allowed; allowed: true, false", agent.Clip(search, 40))
	}
	learned, err := s.Service.Guards.Learning(c.Request().Context(), from, to, search == "true")
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, learned)
}
