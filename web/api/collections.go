package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// ListCollections is GET /api/v1/collections: those that are open to the viewer, their own first.
func (s *Documents) ListCollections(c echo.Context) error {
	all, err := s.Store.Collections(c.Request().Context(), request.Viewer(c).UserID)
	return answer(c, http.StatusOK, request.Listing[agent.Collection]{Items: all}, err)
}

// GetCollection is GET /api/v1/collections/{id}.
func (s *Documents) GetCollection(c echo.Context) error {
	found, err := s.Store.Collection(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"))
	return answer(c, http.StatusOK, found, err)
}

// CreateCollection is POST /api/v1/collections.
func (s *Documents) CreateCollection(c echo.Context) error {
	var in agent.CollectionPatch
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	made, err := s.Service.Documents.CreateCollection(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/collections/"+made.ID)
	return c.JSON(http.StatusCreated, made)
}

// UpdateCollection is PATCH /api/v1/collections/{id}.
func (s *Documents) UpdateCollection(c echo.Context) error {
	var in agent.CollectionPatch
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	changed, err := s.Service.Documents.UpdateCollection(c.Request().Context(), request.Viewer(c), c.Param("id"), in)
	return answer(c, http.StatusOK, changed, err)
}

// DeleteCollection is DELETE /api/v1/collections/{id}.
func (s *Documents) DeleteCollection(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Service.Documents.DeleteCollection(c.Request().Context(), request.Viewer(c), c.Param("id")))
}
