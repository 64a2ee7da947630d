package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

type documentImport struct {
	ID      string              `json:"id"`
	Name    string              `json:"name"`
	State   agent.ImportState   `json:"state"`
	Problem agent.ImportProblem `json:"problem,omitempty"`
	agent.ImportReport
	CreatedAt time.Time `json:"createdAt"`
}

func viewOfImport(in agent.Import) documentImport {
	return documentImport{in.ID, in.Name, in.State, in.Problem, in.Report, in.CreatedAt}
}

// Import is POST /api/v1/imports: an archive, a file of bookmarks, or the files of a folder.
func (s *Documents) Import(c echo.Context) error {
	form := request.ImportFormOf(c)
	in, err := s.Service.Documents.Import(c.Request().Context(), request.Viewer(c).UserID, form.Each, func() service.NewImport {
		return service.NewImport{Name: form.Value("name"), CollectionID: form.Value("collectionId"), Fetch: form.Value("fetch") == "true"}
	})
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/imports/"+in.ID)
	return c.JSON(http.StatusAccepted, viewOfImport(in))
}

// ShowImport is GET /api/v1/imports/{id}.
func (s *Documents) ShowImport(c echo.Context) error {
	in, err := s.Store.Import(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"))
	return answer(c, http.StatusOK, viewOfImport(in), err)
}
