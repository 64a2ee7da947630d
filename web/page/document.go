package page

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/site"
)

// shownText is about how much of a text one page shows, in bytes.
const shownText = 64 << 10

// ShowOne shows a document with its text.
func (s *Documents) ShowOne(c echo.Context) error {
	return s.showOne(c, http.StatusOK, page.DocumentProps{})
}

// showOne fills in the document; p has what was typed, and what is wrong with it.
func (s *Documents) showOne(c echo.Context, status int, p page.DocumentProps) error {
	ctx, userID, id := c.Request().Context(), request.Viewer(c).UserID, c.Param("id")
	version, err := request.Version(c)
	if err != nil {
		return err
	}
	if p.Document, err = s.Store.Document(ctx, userID, id, version); err != nil {
		return err
	}
	if p.Versions, err = s.Store.DocumentVersions(ctx, userID, id); err != nil {
		return err
	}
	if p.SourceName, p.SourcePath, err = s.Store.DocumentSource(ctx, userID, id); err != nil {
		return err
	}
	var sections []agent.Section
	if p.Text, sections, err = s.Store.DocumentText(ctx, userID, id, p.Document.Version); err != nil {
		return err
	}
	if p.NameError == "" {
		p.Name = p.Document.Name
	}
	if p.Document.Right >= agent.RightWrite && p.Document.IsNote() && p.Document.Version == p.Versions[0].Version && len(p.Note.Errors) == 0 {
		if p.Note.Text, err = s.written(c, p.Document); err != nil {
			return err
		}
	}
	if err := s.place(c, &p); err != nil {
		return err
	}
	p.Mark = marked(c, p.Text)
	cut(c, &p, sections)
	p.Encodings = service.Encodings()
	l := s.Shell(c, site.Within(p.Document.Name, site.Words(c).T("document.title")), "documents")
	l.Scripts = []string{"js/documents.js"}
	return s.Render(c, status, page.Document(l, p))
}

// written is what a note says, as it was written.
func (s *Documents) written(c echo.Context, d agent.Document) (string, error) {
	f, _, err := s.Service.Documents.Open(c.Request().Context(), request.Viewer(c).UserID, d.ID, d.Version)
	if agent.CodeOf(err) == agent.NotFound { // the page says that it is gone, and shows what was read of it
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, agent.MaxNoteBytes))
	return strings.ToValidUTF8(string(text), ""), err
}

// ShowPassage leads to a passage in its document, to the document where that has another text by
// now, or says when it was deleted: nothing else is left that knows the passage, so the link names
// the document.
func (s *Documents) ShowPassage(c echo.Context) error {
	ctx, userID, named := c.Request().Context(), request.Viewer(c).UserID, c.QueryParam("document")
	f, err := s.Store.Passage(ctx, userID, c.Param("id"))
	if agent.CodeOf(err) == agent.NotFound {
		if d, none := s.Store.Document(ctx, userID, named, 0); none == nil {
			return c.Redirect(http.StatusSeeOther, documentsPath+"/"+d.ID)
		}
		if at, gone := s.Store.DocumentDeletedAt(ctx, userID, named); gone == nil {
			said := site.Words(c).T("document.deleted_on", at.Format(site.Words(c).T("date.short")))
			return s.ErrorPage(c, err, request.Problem{Status: http.StatusGone, Detail: said})
		}
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, page.PassageLink(f))
}

// marked is the part of the text that is to be seen, as bytes from and to; none where the
// query does not say it.
func marked(c echo.Context, text string) (m [2]int) {
	if n, err := fmt.Sscanf(c.QueryParam("mark"), "%d-%d", &m[0], &m[1]); n != 2 || err != nil || m[0] < 0 || m[0] > m[1] || m[1] > len(text) {
		return [2]int{}
	}
	return m
}

// shownBefore is about how much of a text is shown before what is to be seen, in bytes.
const shownBefore = shownText / 4

// cut takes the part of a text that one page shows: about shownText bytes from where the query
// says, or around what is to be seen. Sections that go on outside of it are cut at the ends of lines.
func cut(c echo.Context, p *page.DocumentProps, all []agent.Section) {
	from := p.Mark[0] - shownBefore
	if asked := c.QueryParam("from"); asked != "" {
		from, _ = strconv.Atoi(asked) // what is no number is the beginning
	}
	from = lineStart(p.Text, min(max(from, 0), len(p.Text)))
	to := lineStart(p.Text, min(from+shownText, len(p.Text)))
	if to <= from {
		to = len(p.Text)
	}
	for _, s := range all {
		if s.Start, s.End = max(s.Start, from), min(s.End, to); s.Start < s.End {
			p.Sections = append(p.Sections, s)
		}
	}
	at := func(i int) string {
		return documentsPath + "/" + p.Document.ID + "?" + url.Values{"version": {strconv.Itoa(p.Document.Version)}, "from": {strconv.Itoa(i)}}.Encode()
	}
	if to < len(p.Text) {
		p.Later = at(to)
	}
	if from > 0 {
		p.Earlier = at(max(from-shownText, 0))
	}
}

// maxLine is how long a line may be that is not cut.
const maxLine = 8 << 10

// lineStart is the beginning of the line that a byte of a text is of, or of its character where
// that is far away. At the end of a text it is that.
func lineStart(text string, at int) int {
	if at == len(text) {
		return at
	}
	for !utf8.RuneStart(text[at]) {
		at--
	}
	if start := strings.LastIndexByte(text[:at], '\n') + 1; at-start <= maxLine {
		return start
	}
	return at
}

// EditNote replaces what a note says.
func (s *Documents) EditNote(c echo.Context) error {
	id, typed := c.Param("id"), c.FormValue("text")
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			_, err = s.Service.Documents.EditNote(c.Request().Context(), request.Viewer(c).UserID, id, typed)
			return site.Words(c).T("document.replaced"), documentsPath + "/" + id, err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.showOne(c, status, page.DocumentProps{Note: page.NoteForm{Text: typed, Errors: fields}, Problem: problem})
		},
	})
}

// Replace takes a file in the place of a document's newest one.
func (s *Documents) Replace(c echo.Context) error {
	if _, err := s.Store.Document(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), 0); err != nil {
		return err
	}
	var d agent.Document
	sent, err := request.UploadOf(c)
	if err == nil {
		defer func() { _ = sent.Close() }()
		d, err = s.Service.Documents.Replace(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), sent)
	}
	if said := s.refusal(c, err); said != "" {
		return s.showOne(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), page.DocumentProps{Problem: said})
	}
	if err != nil {
		return err
	}
	return s.Back(c, documentsPath+"/"+d.ID, site.Words(c).T("document.replaced"))
}

// Rename gives a document another name.
func (s *Documents) Rename(c echo.Context) error {
	id, name := c.Param("id"), c.FormValue("name")
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			return site.Words(c).T("document.renamed"), documentsPath + "/" + id, s.Service.Documents.Rename(c.Request().Context(), request.Viewer(c).UserID, id, name)
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.showOne(c, status, page.DocumentProps{Name: name, NameError: fields["name"], Problem: problem})
		},
	})
}

// ReadAgain has a document be read once more: with a password, or as the viewer chooses.
func (s *Documents) ReadAgain(c echo.Context) error {
	id := c.Param("id")
	how := service.HowToRead{Password: c.FormValue("password"), Encoding: typed(c, "encoding"), Separator: typed(c, "separator")}
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			err = s.Service.Documents.ReadAgain(c.Request().Context(), request.Viewer(c).UserID, id, how)
			if agent.CodeOf(err) == agent.Conflict && how == (service.HowToRead{}) { // it is read already: what was wanted
				err = nil
			}
			return site.Words(c).T("document.queued"), documentsPath + "/" + id, err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.showOne(c, status, page.DocumentProps{ReadErrors: fields, Problem: problem})
		},
	})
}

// typed is a field of a form, nil where the form has none.
func typed(c echo.Context, field string) *string {
	value := c.FormValue(field)
	if !c.Request().Form.Has(field) {
		return nil
	}
	return &value
}
