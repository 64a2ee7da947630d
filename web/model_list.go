package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// modelView is a model that people may choose.
type modelView struct {
	ID      string `json:"id"`
	Default bool   `json:"default"`
}

// modelList is GET /api/v1/models.
func (s *Server) modelList(c echo.Context) error {
	views := []modelView{}
	for _, m := range s.Models {
		views = append(views, modelView{m, m == s.DefaultModel})
	}
	return c.JSON(http.StatusOK, listing[modelView]{Items: views})
}
