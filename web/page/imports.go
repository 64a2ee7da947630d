package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
)

const importsPath = documentsPath + "/import"

// ShowImports shows the form of imports, and what became of the newest ones.
func (s *Documents) ShowImports(c echo.Context) error {
	return s.showImports(c, http.StatusOK, page.ImportsProps{})
}

// showImports fills in the list; p has what was typed, and what is wrong with it.
func (s *Documents) showImports(c echo.Context, status int, p page.ImportsProps) error {
	var err error
	if p.Imports, err = s.Store.Imports(c.Request().Context(), request.Viewer(c).UserID); err != nil {
		return err
	}
	l := s.shell(c, within(words(c).T("import.title"), words(c).T("document.title")), "documents")
	l.Scripts = []string{"js/documents.js"}
	return s.render(c, status, page.Imports(l, p))
}

// Import takes in what is to be imported.
func (s *Documents) Import(c echo.Context) error {
	form := request.ImportFormOf(c)
	return s.answer(c, postedForm{
		save: func() (said, next string, err error) {
			in, err := s.Service.Documents.Import(c.Request().Context(), request.Viewer(c).UserID, form.Each, func() service.NewImport {
				return service.NewImport{Name: form.Value("name"), Fetch: form.Value("fetch") != ""}
			})
			return words(c).T("import.begun", in.Name), importsPath, err
		},
		again: func(status int, fields map[string]string, problem string) error {
			return s.showImports(c, status, page.ImportsProps{Name: form.Value("name"), Fetch: form.Value("fetch") != "", Errors: fields, Problem: problem})
		},
	})
}
