package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// ListOpenAPI is GET /api/v1/openapi/sources.
func (s *Tools) ListOpenAPI(c echo.Context) error {
	return c.JSON(http.StatusOK, request.Listing[agent.OpenAPISource]{Items: s.OpenAPI.OpenAPISources()})
}

// AcceptOpenAPI is POST /api/v1/openapi/sources/{name}/accept.
func (s *Tools) AcceptOpenAPI(c echo.Context) error {
	seen, err := seenIn(c)
	if err != nil {
		return err
	}
	source, err := s.OpenAPI.AcceptOpenAPI(c.Request().Context(), request.Viewer(c), c.Param("name"), seen)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, source)
}

// UploadOpenAPI is POST /api/v1/openapi/sources/{name}/document.
func (s *Tools) UploadOpenAPI(c echo.Context) error {
	document, err := request.DocumentOf(c)
	if err != nil {
		return err
	}
	source, err := s.OpenAPI.UploadOpenAPI(c.Request().Context(), request.Viewer(c), c.Param("name"), document)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, source)
}
