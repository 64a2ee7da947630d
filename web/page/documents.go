package page

import (
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Documents shows the viewer's documents and takes their forms.
type Documents struct {
	*site.Site
}

const documentsPath = "/documents"

// shownPassages is how many passages a search of the page shows.
const shownPassages = 10

// Show lists the documents, or finds some by their names and their texts.
func (s *Documents) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, page.DocumentsProps{})
}

// show fills in the list; p has what was typed, and what is wrong with it.
func (s *Documents) show(c echo.Context, status int, p page.DocumentsProps) error {
	ctx, userID := c.Request().Context(), request.Viewer(c).UserID
	p.Query = site.Searched(c)
	in, err := s.choose(c, &p)
	if err != nil {
		return err
	}
	if p.Vectors, err = s.Service.Documents.Finder.Status(ctx, userID); err != nil {
		return err
	}
	filter := url.Values{"find": {p.Query}}
	list := func(at agent.Page) ([]agent.Document, string, error) {
		return s.Store.Documents(ctx, agent.DocumentFilter{UserID: userID, In: in, Name: p.Query}, at)
	}
	if open := p.Collections.Open.ID; open != "" {
		filter.Set("collection", open)
	} else if problem := agent.DocumentProblem(c.QueryParam("problem")); p.Query == "" && slices.Contains(agent.DocumentProblems(), problem) {
		p.Failing, filter = problem, url.Values{"problem": {string(problem)}}
		list = func(at agent.Page) ([]agent.Document, string, error) {
			return s.Store.FailedDocuments(ctx, userID, problem, at)
		}
	}
	var next string
	if p.Documents, next, err = list(agent.Page{Cursor: c.QueryParam("cursor")}); err != nil {
		return err
	}
	if p.Query != "" && c.QueryParam("cursor") == "" {
		p.Found, err = s.Service.Documents.Finder.Find(ctx, agent.Search{UserID: userID, In: in, Query: p.Query, Limit: shownPassages})
		switch agent.CodeOf(err) {
		case agent.Invalid: // a question of signs only is a part of names alone
		case agent.Unavailable:
			p.Unready = request.Said(site.Words(c), err)
		default:
			if err != nil {
				return err
			}
		}
	}
	if next != "" {
		filter.Set("cursor", next)
		p.Next = documentsPath + "?" + filter.Encode()
	}
	l := s.Shell(c, site.Words(c).T("document.title"), "documents")
	l.Scripts = []string{"js/files.js", "js/documents.js"}
	return s.Render(c, status, page.Documents(l, p))
}

// Add takes files in.
func (s *Documents) Add(c echo.Context) error {
	added, err := s.Service.Documents.AddForm(c.Request().Context(), request.Viewer(c).UserID, func(take func(string, io.Reader) error) (string, error) {
		return request.EachUpload(c, "collection", take)
	})
	if said := s.refusal(c, err); said != "" {
		return s.show(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), page.DocumentsProps{Problem: said})
	}
	if err != nil {
		return err
	}
	said := site.Words(c).T("files.done", added[0].Name)
	if len(added) > 1 {
		said = site.Words(c).T("document.added", len(added))
	}
	return s.Back(c, page.DocumentsIn(c.QueryParam("collection")), said)
}

// AddFromAddress takes in what is at an address.
func (s *Documents) AddFromAddress(c echo.Context) error {
	address := c.FormValue("url")
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			d, err := s.Service.Documents.AddFromAddress(c.Request().Context(), request.Viewer(c).UserID, c.QueryParam("collection"), address)
			return site.Words(c).T("files.done", d.Name), page.DocumentsIn(c.QueryParam("collection")), err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.show(c, status, page.DocumentsProps{Address: address, AddressError: fields["url"], Problem: problem})
		},
	})
}

// AddNote keeps what the viewer writes.
func (s *Documents) AddNote(c echo.Context) error {
	name, typed := c.FormValue("name"), c.FormValue("text")
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			d, err := s.Service.Documents.AddNote(c.Request().Context(), request.Viewer(c).UserID, c.QueryParam("collection"), name, typed)
			return site.Words(c).T("files.done", d.Name), page.DocumentsIn(c.QueryParam("collection")), err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.show(c, status, page.DocumentsProps{Note: page.NoteForm{Name: name, Text: typed, Errors: fields}, Problem: problem})
		},
	})
}

// SaveMessage keeps an answer as a note, and shows that.
func (s *Documents) SaveMessage(c echo.Context) error {
	said := service.NoteWords{Sources: site.Words(c).T("chat.sources"), Deleted: site.Words(c).T("chat.source_gone"), Closed: site.Words(c).T("chat.source_closed"), Unnamed: site.Words(c).T("document.unnamed")}
	d, err := s.Service.Documents.SaveMessage(c.Request().Context(), request.Viewer(c), c.Param("message"), "", said)
	switch agent.CodeOf(err) {
	case "":
		return s.Back(c, documentsPath+"/"+d.ID, site.Words(c).T("document.saved"))
	case agent.Invalid, agent.Conflict, agent.Full:
		return s.Back(c, "/c/"+c.Param("id"), request.Said(site.Words(c), err))
	default:
		return err
	}
}

// AddSamples adds documents to try a search with.
func (s *Documents) AddSamples(c echo.Context) error {
	if err := s.Service.Documents.AddSamples(c.Request().Context(), request.Viewer(c).UserID, site.Words(c).Language()); err != nil {
		return err
	}
	return s.Back(c, documentsPath, site.Words(c).T("document.samples_added"))
}

// refusal words why a file was not taken, "" where it is not the file's fault.
func (s *Documents) refusal(c echo.Context, err error) string {
	switch agent.CodeOf(err) {
	case agent.Invalid:
		if said := request.FieldErrors(site.Words(c), err)["file"]; said != "" {
			return site.Words(c).T("files.refused", said)
		}
		return request.Said(site.Words(c), err)
	case agent.Full, agent.Conflict, agent.Forbidden:
		return request.Said(site.Words(c), err)
	default:
		return ""
	}
}

// Delete deletes a document.
func (s *Documents) Delete(c echo.Context) error {
	d, err := s.Store.Document(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), 0)
	if err != nil {
		return err
	}
	list := documentsPath
	if d.CollectionID != d.UserID {
		list = page.DocumentsIn(d.CollectionID)
	}
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			err = s.Service.Documents.Delete(c.Request().Context(), request.Viewer(c).UserID, d.ID)
			return site.Words(c).T("document.deleted"), list, err
		},
		Again: func(status int, _ map[string]string, problem string) error {
			return s.showOne(c, status, page.DocumentProps{Problem: problem})
		},
	})
}

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
	l := s.Shell(c, site.Within(site.Words(c).T("import.title"), site.Words(c).T("document.title")), "documents")
	l.Scripts = []string{"js/documents.js"}
	return s.Render(c, status, page.Imports(l, p))
}

// Import takes in what is to be imported.
func (s *Documents) Import(c echo.Context) error {
	form := request.ImportFormOf(c)
	return s.Answer(c, site.Form{
		Save: func() (said, next string, err error) {
			in, err := s.Service.Documents.Import(c.Request().Context(), request.Viewer(c).UserID, form.Each, func() service.NewImport {
				return service.NewImport{Name: form.Value("name"), Fetch: form.Value("fetch") != ""}
			})
			return site.Words(c).T("import.begun", in.Name), importsPath, err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.showImports(c, status, page.ImportsProps{Name: form.Value("name"), Fetch: form.Value("fetch") != "", Errors: fields, Problem: problem})
		},
	})
}
