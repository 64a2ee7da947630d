package web

import (
	"bytes"
	_ "embed" // the description is data
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

//go:embed openapi.json
var openapi []byte

// openapiGet is GET /api/openapi.json: the description of the API.
func (s *Server) openapiGet(c echo.Context) error {
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, s.describedAt())
}

// describedAt is the description with the path below which its calls are.
func (s *Server) describedAt() []byte {
	if s.address.AtRoot() {
		return openapi
	}
	path := strings.TrimSuffix(s.address.CookiePath(), "/")
	return bytes.Replace(openapi, []byte(`"servers": [{"url": "/"}]`), []byte(`"servers": [{"url": `+strconv.Quote(path)+`}]`), 1)
}
