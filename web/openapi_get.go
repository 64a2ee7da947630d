package web

import (
	_ "embed" // the description is data
	"net/http"

	"github.com/labstack/echo/v4"
)

//go:embed openapi.json
var openapi []byte

// openapiGet is GET /api/openapi.json: the description of the API.
func (s *Server) openapiGet(c echo.Context) error {
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, openapi)
}
