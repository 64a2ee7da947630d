package page

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Files is the page with the files of a conversation.
type Files struct {
	*site.Site
	Limits     agent.FileLimits
	Workspaces service.Workspaces
}

// Show lists the files.
func (s *Files) Show(c echo.Context) error {
	conv, err := s.Store.Conversation(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, *conv, "")
}

func (s *Files) show(c echo.Context, status int, conv agent.Conversation, problem string) error {
	listing, err := s.Workspaces.ListFiles(c.Request().Context(), conv.ID)
	if err != nil {
		return err
	}
	p := page.FilesProps{
		ID: conv.ID, Title: site.TitleOf(site.Words(c), conv.Title), CSRF: s.Sessions.FormToken(c), MayUpload: conv.OwnerID == request.Viewer(c).UserID,
		More: listing.More, Used: text.Bytes(listing.UsedBytes), Limit: text.Bytes(listing.LimitBytes),
		Most: text.Bytes(s.Limits.File), MostBytes: s.Limits.File, Problem: problem,
	}
	for _, f := range listing.Files {
		p.Files = append(p.Files, fileRow(conv.ID, f))
	}
	l := s.Shell(c, site.Within(site.Words(c).T("files.title"), p.Title), conv.ID)
	l.Scripts = []string{"js/files.js"}
	return s.Render(c, status, page.Files(l, p))
}

// fileRow shows a file whose name a model or a command may have chosen.
func fileRow(conversationID string, f agent.WorkspaceFile) page.FileRow {
	parts := strings.Split(f.Path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	folder, name := path.Split(f.Path)
	return page.FileRow{
		Folder: invisible.Visible(folder), Name: invisible.Visible(name), Size: text.Bytes(f.Bytes), At: f.ModifiedAt,
		Href: "/api/v1/conversations/" + conversationID + "/files/" + strings.Join(parts, "/"),
	}
}

// Upload is the page's form.
func (s *Files) Upload(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := s.Service.Conversations.ForUpload(ctx, request.Viewer(c), c.Param("id"))
	if conv == nil || err != nil && agent.CodeOf(err) != agent.Full {
		return err
	}
	var file agent.WorkspaceFile
	if err == nil {
		file, err = s.save(c, conv.ID)
	}
	if code := agent.CodeOf(err); code == agent.Invalid || code == agent.Full {
		said := request.FieldErrors(site.Words(c), err)["file"]
		if said == "" {
			said = request.Said(site.Words(c), err)
		}
		return s.show(c, request.StatusOf(code, http.MethodPost), *conv, site.Words(c).T("files.refused", said))
	}
	if err != nil {
		return err
	}
	return s.Back(c, "/c/"+conv.ID+"/files", site.Words(c).T("files.done", file.Path))
}

// save puts the file of the form into the conversation's workspace.
func (s *Files) save(c echo.Context, conversationID string) (agent.WorkspaceFile, error) {
	sent, err := request.UploadOf(c)
	if err != nil {
		return agent.WorkspaceFile{}, err
	}
	defer func() { _ = sent.Close() }()
	return s.Workspaces.SaveFile(c.Request().Context(), conversationID, sent.Name, sent)
}
