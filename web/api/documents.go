package api

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Documents answers the calls about the viewer's documents.
type Documents struct {
	Store      service.Store
	Service    *service.Service
	Visibility *request.Visibility
}

type document struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// CollectionID is "" for the owner's documents that are in none.
	CollectionID string `json:"collectionId,omitempty"`
	// Right is what the viewer may do with it.
	Right    agent.Right           `json:"right"`
	Bytes    int64                 `json:"bytes"`
	State    agent.DocumentState   `json:"state"`
	Problem  agent.DocumentProblem `json:"problem,omitempty"`
	Type     agent.DocumentType    `json:"type,omitempty"`
	Title    string                `json:"title,omitempty"`
	Tags     []string              `json:"tags,omitempty"`
	Pages    int                   `json:"pages,omitempty"`
	Encoding string                `json:"encoding,omitempty"`
	// Separator is what is between the fields of a table.
	Separator string              `json:"separator,omitempty"`
	Notes     []agent.ReadingNote `json:"notes,omitempty"`
	Version   int                 `json:"version"`
	// Answers is the version that is searched and read; 0 for none yet.
	Answers     int       `json:"answers"`
	DuplicateOf string    `json:"duplicateOf,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
	AddedAt     time.Time `json:"addedAt"`
}

func documentView(d agent.Document) document {
	r := d.Reading
	collection := d.CollectionID
	if collection == d.UserID {
		collection = ""
	}
	return document{
		ID: d.ID, Name: d.Name, CollectionID: collection, Right: d.Right, Bytes: d.Bytes, State: d.State, Problem: r.Problem, Type: r.Type, Title: r.Title, Tags: r.Tags, Pages: r.Pages, Encoding: r.Encoding,
		Separator: r.Separator, Notes: r.Notes, Version: d.Version, Answers: d.Answers, DuplicateOf: d.DuplicateOf, CreatedAt: d.CreatedAt, AddedAt: d.AddedAt,
	}
}

// List is GET /api/v1/documents: of all collections that are open to the viewer, or of those
// that are named.
func (s *Documents) List(c echo.Context) error {
	in, err := request.Chosen(c)
	if err != nil {
		return err
	}
	problem := agent.DocumentProblem(c.QueryParam("problem"))
	if err := request.OneOf("problem", problem, agent.DocumentProblems()...); err != nil {
		return err
	}
	if problem != "" && (c.QueryParam("search") != "" || !in.All()) {
		return agent.InvalidField("problem", "stands alone; send it without search and collectionId")
	}
	return listPage(c, func(p agent.Page) ([]agent.Document, string, error) {
		if problem != "" {
			return s.Store.FailedDocuments(c.Request().Context(), request.Viewer(c).UserID, problem, p)
		}
		return s.Store.Documents(c.Request().Context(), agent.DocumentFilter{UserID: request.Viewer(c).UserID, In: in, Name: c.QueryParam("search")}, p)
	}, documentView)
}

// Add is POST /api/v1/documents: one file, or several, which are answered as a list; or JSON that says
// what is to be added.
func (s *Documents) Add(c echo.Context) error {
	if strings.HasPrefix(c.Request().Header.Get(echo.HeaderContentType), echo.MIMEApplicationJSON) {
		return s.addSaid(c)
	}
	added, err := s.Service.Documents.AddForm(c.Request().Context(), request.Viewer(c).UserID, func(take func(string, io.Reader) error) (string, error) {
		return request.EachUpload(c, "collectionId", take)
	})
	if err != nil {
		return err
	}
	if len(added) == 1 {
		return created(c, documentView(added[0]))
	}
	all := request.Listing[document]{}
	for _, d := range added {
		all.Items = append(all.Items, documentView(d))
	}
	return c.JSON(http.StatusCreated, all)
}

func created(c echo.Context, d document) error {
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/documents/"+d.ID)
	return c.JSON(http.StatusCreated, d)
}

// addSaid adds what is at an address, or a note: of a text, or of a message.
func (s *Documents) addSaid(c echo.Context) error {
	var in struct {
		URL       string `json:"url"`
		Name      string `json:"name"`
		Text      string `json:"text"`
		MessageID string `json:"messageId"`
		// CollectionID is where it is added, the viewer's own documents for "".
		CollectionID string `json:"collectionId"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	ctx, userID, docs := c.Request().Context(), request.Viewer(c).UserID, s.Service.Documents
	var d agent.Document
	var err error
	switch {
	case in.URL != "" && in.Name+in.Text+in.MessageID != "":
		err = agent.InvalidField("url", "stands alone; send nothing else with it")
	case in.URL != "":
		d, err = docs.AddFromAddress(ctx, userID, in.CollectionID, in.URL)
	case in.MessageID != "" && in.Text != "":
		err = agent.InvalidField("messageId", "has a text of its own; send it without text")
	case in.MessageID != "":
		d, err = docs.SaveMessage(ctx, request.Viewer(c), in.MessageID, in.Name, service.NoteWords{Sources: "Sources", Deleted: "Deleted", Closed: "No longer open to you", Unnamed: "Note"})
	default:
		d, err = docs.AddNote(ctx, userID, in.CollectionID, in.Name, in.Text)
	}
	if err != nil {
		return err
	}
	return created(c, documentView(d))
}

// Replace is PUT /api/v1/documents/{id}/file.
func (s *Documents) Replace(c echo.Context) error {
	if err := s.own(c); err != nil {
		return err
	}
	sent, err := request.UploadOf(c)
	if err != nil {
		return err
	}
	defer func() { _ = sent.Close() }()
	d, err := s.Service.Documents.Replace(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), sent)
	return answer(c, http.StatusOK, documentView(d), err)
}

// own answers NotFound where the document is not the viewer's, whatever else is wrong.
func (s *Documents) own(c echo.Context) error {
	_, err := s.Store.Document(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), 0)
	return err
}

// Get is GET /api/v1/documents/{id}.
func (s *Documents) Get(c echo.Context) error {
	version, err := request.Version(c)
	if err != nil {
		return err
	}
	d, err := s.Store.Document(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), version)
	return answer(c, http.StatusOK, documentView(d), err)
}

// Text is GET /api/v1/documents/{id}/text: of the version that answers, or that is asked for.
func (s *Documents) Text(c echo.Context) error {
	d, text, err := s.text(c)
	if err != nil {
		return err
	}
	if d.State != agent.DocumentReady {
		return agent.Errorf(agent.Conflict, "There is no text: its state is %s %s.", d.State, d.Reading.Problem)
	}
	return c.String(http.StatusOK, text)
}

func (s *Documents) text(c echo.Context) (agent.Document, string, error) {
	version, err := request.Version(c)
	if err != nil {
		return agent.Document{}, "", err
	}
	return s.Service.Documents.Text(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), version)
}

// File is GET /api/v1/documents/{id}/file: the bytes as they came.
func (s *Documents) File(c echo.Context) error {
	version, err := request.Version(c)
	if err != nil {
		return err
	}
	f, d, err := s.Service.Documents.Open(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), version)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return request.SendFile(c, f, agent.WorkspaceFile{Path: d.Name, Bytes: d.Bytes, ModifiedAt: d.AddedAt})
}

// Change is PATCH /api/v1/documents/{id}: its name, the collection in which it is, or both.
func (s *Documents) Change(c echo.Context) error {
	if err := s.own(c); err != nil {
		return err
	}
	var in struct {
		Name         *string `json:"name"`
		CollectionID *string `json:"collectionId"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	ctx, userID, id := c.Request().Context(), request.Viewer(c).UserID, c.Param("id")
	if in.Name != nil || in.CollectionID == nil { // without either, the name is missing
		if err := s.Service.Documents.Rename(ctx, userID, id, *cmp.Or(in.Name, new(string))); err != nil {
			return err
		}
	}
	if in.CollectionID != nil {
		if err := s.Service.Documents.Move(ctx, userID, id, *in.CollectionID); err != nil {
			return err
		}
	}
	return s.Get(c)
}

// Delete is DELETE /api/v1/documents/{id}.
func (s *Documents) Delete(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Service.Documents.Delete(c.Request().Context(), request.Viewer(c).UserID, c.Param("id")))
}

// ReadAgain is POST /api/v1/documents/{id}/read. What is not sent stays as it was chosen before. Conflict
// where it has been read, and nothing is to be read otherwise.
func (s *Documents) ReadAgain(c echo.Context) error {
	if err := s.own(c); err != nil {
		return err
	}
	var in struct {
		Password  string  `json:"password"`
		Encoding  *string `json:"encoding"`
		Separator *string `json:"separator"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	how := service.HowToRead{Password: in.Password, Encoding: in.Encoding, Separator: in.Separator}
	if err := s.Service.Documents.ReadAgain(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"), how); err != nil {
		return err
	}
	return s.Get(c)
}
