package web

import (
	"github.com/labstack/echo/v4"
)

// modelProbePost tests a model from the page; its answer is the page with the report.
func (s *pageModels_) modelProbePost(c echo.Context) error {
	model := c.FormValue("model")
	if err := s.Service.Models.Check(model); err != nil {
		return err
	}
	report := s.Models.Probe(c.Request().Context(), model)
	return s.showModels(c, &report)
}
