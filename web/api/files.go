package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent/service"
	"fusebox/web/request"
)

// Files answers the calls about the files of conversations.
type Files struct {
	Store      service.ConversationStore
	Service    *service.Service
	Workspaces service.Workspaces
}

// List is GET /api/v1/conversations/{id}/files.
func (s *Files) List(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := s.Store.Conversation(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	files, err := s.Workspaces.ListFiles(ctx, conv.ID)
	return answer(c, http.StatusOK, files, err)
}

// Upload is POST /api/v1/conversations/{id}/files.
func (s *Files) Upload(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := s.Service.Conversations.ForUpload(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	sent, err := request.UploadOf(c)
	if err != nil {
		return err
	}
	defer func() { _ = sent.Close() }()
	file, err := s.Workspaces.SaveFile(ctx, conv.ID, sent.Name, sent)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, fileAddress(conv.ID, file.Path))
	return c.JSON(http.StatusCreated, file)
}

// Get is GET /api/v1/conversations/{id}/files/{path}.
func (s *Files) Get(c echo.Context) error {
	conv, err := s.Store.Conversation(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	name, err := request.PathParam(c)
	if err != nil {
		return err
	}
	f, file, err := s.Workspaces.OpenFile(conv.ID, name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return request.SendFile(c, f, file)
}

// Zip is GET /api/v1/conversations/{id}/files.zip.
func (s *Files) Zip(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := s.Store.Conversation(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentType, "application/zip")
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="files.zip"`)
	if err := s.Workspaces.ZipFiles(ctx, conv.ID, c.Response()); err != nil {
		c.Response().Header().Del(echo.HeaderContentDisposition)
		return err
	}
	return nil
}

func fileAddress(conversationID, name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "/api/v1/conversations/" + conversationID + "/files/" + strings.Join(parts, "/")
}
