package page

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/session"
)

// Documents shows the viewer's documents and takes their forms.
type Documents struct {
	*Site
	Store      service.DocumentStore
	Service    *service.Service
	Sessions   *session.Sessions
	Visibility *request.Visibility
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
	p.Query = searched(c)
	var err error
	if p.Counts, err = s.Store.CountDocuments(ctx, userID); err != nil {
		return err
	}
	if p.Vectors, err = s.Service.Documents.Finder.Status(ctx, userID); err != nil {
		return err
	}
	filter := url.Values{"find": {p.Query}}
	list := func(at agent.Page) ([]agent.Document, string, error) {
		return s.Store.Documents(ctx, userID, p.Query, at)
	}
	if problem := agent.DocumentProblem(c.QueryParam("problem")); p.Query == "" && slices.Contains(agent.DocumentProblems(), problem) {
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
		p.Found, err = s.Service.Documents.Finder.Find(ctx, userID, p.Query, shownPassages)
		switch agent.CodeOf(err) {
		case agent.Invalid: // a question of signs only is a part of names alone
		case agent.Unavailable:
			p.Unready = request.Said(words(c), err)
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
	l := s.shell(c, words(c).T("document.title"), "documents")
	l.Scripts = []string{"js/files.js", "js/documents.js"}
	return s.render(c, status, page.Documents(l, p))
}

// Add takes files in.
func (s *Documents) Add(c echo.Context) error {
	var last string
	added := 0
	err := request.EachUpload(c, func(sent *request.Upload) error {
		d, err := s.Service.Documents.Add(c.Request().Context(), request.Viewer(c).UserID, sent.Name, sent)
		if err == nil {
			last = d.Name
			added++
		}
		return err
	})
	if said := s.refusal(c, err); said != "" {
		return s.show(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), page.DocumentsProps{Problem: said})
	}
	if err != nil {
		return err
	}
	said := words(c).T("files.done", last)
	if added > 1 {
		said = words(c).T("document.added", added)
	}
	return s.back(c, documentsPath, said)
}

// AddFromAddress takes in what is at an address.
func (s *Documents) AddFromAddress(c echo.Context) error {
	address := c.FormValue("url")
	return s.answer(c, postedForm{
		save: func() (said, next string, err error) {
			d, err := s.Service.Documents.AddFromAddress(c.Request().Context(), request.Viewer(c).UserID, address)
			return words(c).T("files.done", d.Name), documentsPath, err
		},
		again: func(status int, fields map[string]string, problem string) error {
			return s.show(c, status, page.DocumentsProps{Address: address, AddressError: fields["url"], Problem: problem})
		},
	})
}

// AddNote keeps what the viewer writes.
func (s *Documents) AddNote(c echo.Context) error {
	name, typed := c.FormValue("name"), c.FormValue("text")
	return s.answer(c, postedForm{
		save: func() (said, next string, err error) {
			d, err := s.Service.Documents.AddNote(c.Request().Context(), request.Viewer(c).UserID, name, typed)
			return words(c).T("files.done", d.Name), documentsPath, err
		},
		again: func(status int, fields map[string]string, problem string) error {
			return s.show(c, status, page.DocumentsProps{Note: page.NoteForm{Name: name, Text: typed, Errors: fields}, Problem: problem})
		},
	})
}

// SaveMessage keeps an answer as a note, and shows that.
func (s *Documents) SaveMessage(c echo.Context) error {
	said := service.NoteWords{Sources: words(c).T("chat.sources"), Deleted: words(c).T("chat.source_gone"), Unnamed: words(c).T("document.unnamed")}
	d, err := s.Service.Documents.SaveMessage(c.Request().Context(), request.Viewer(c), c.Param("message"), "", said)
	switch agent.CodeOf(err) {
	case "":
		return s.back(c, documentsPath+"/"+d.ID, words(c).T("document.saved"))
	case agent.Invalid, agent.Conflict, agent.Full:
		return s.back(c, "/c/"+c.Param("id"), request.Said(words(c), err))
	default:
		return err
	}
}

// AddSamples adds documents to try a search with.
func (s *Documents) AddSamples(c echo.Context) error {
	if err := s.Service.Documents.AddSamples(c.Request().Context(), request.Viewer(c).UserID, words(c).Language()); err != nil {
		return err
	}
	return s.back(c, documentsPath, words(c).T("document.samples_added"))
}

// refusal words why a file was not taken, "" where it is not the file's fault.
func (s *Documents) refusal(c echo.Context, err error) string {
	switch agent.CodeOf(err) {
	case agent.Invalid:
		if said := request.FieldErrors(words(c), err)["file"]; said != "" {
			return words(c).T("files.refused", said)
		}
		return request.Said(words(c), err)
	case agent.Full, agent.Conflict:
		return request.Said(words(c), err)
	default:
		return ""
	}
}

// Delete deletes a document.
func (s *Documents) Delete(c echo.Context) error {
	if err := s.Service.Documents.Delete(c.Request().Context(), request.Viewer(c).UserID, c.Param("id")); err != nil {
		return err
	}
	return s.back(c, documentsPath, words(c).T("document.deleted"))
}

// back goes to a page and says there what was done.
func (s *Documents) back(c echo.Context, to, said string) error {
	s.Sessions.Flash(c, said)
	return c.Redirect(http.StatusSeeOther, to)
}
