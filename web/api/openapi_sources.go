package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// openAPISources are the configured services with an OpenAPI document.
type openAPISources interface {
	OpenAPISources() []agent.OpenAPISource
	// AcceptOpenAPI takes what a document has changed; Conflict where that is not what was seen.
	AcceptOpenAPI(ctx context.Context, v agent.Viewer, name, seen string) (agent.OpenAPISource, error)
	// UploadOpenAPI takes the place of the document before; Invalid where it cannot be used,
	// Conflict where the source takes none.
	UploadOpenAPI(ctx context.Context, v agent.Viewer, name string, d agent.OpenAPIDocument) (agent.OpenAPISource, error)
}

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
