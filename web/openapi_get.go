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

// openapiGet is GET /api/openapi.json: the description of the API, with the path below which its calls are.
func (s *Server) openapiGet(c echo.Context) error {
	described := openapi
	if !s.address.AtRoot() {
		path := strings.TrimSuffix(s.address.CookiePath(), "/")
		described = bytes.Replace(openapi, []byte(`"servers": [{"url": "/"}]`), []byte(`"servers": [{"url": `+strconv.Quote(path)+`}]`), 1)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, described)
}
