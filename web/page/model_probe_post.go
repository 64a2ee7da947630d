package page

import (
	"github.com/labstack/echo/v4"
)

// Test tests a model from the page; its answer is the page with the report.
func (s *Models) Test(c echo.Context) error {
	model := c.FormValue("model")
	if err := s.Service.Models.Check(model); err != nil {
		return err
	}
	report := s.Models.Probe(c.Request().Context(), model)
	return s.show(c, &report)
}
