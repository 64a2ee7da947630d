package api

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// usualFound and maxFound bound the passages of a search.
const (
	usualFound = 10
	maxFound   = 50
)

// passage is a passage of a document that answers a question.
type passage struct {
	DocumentID string `json:"documentId"`
	PassageID  string `json:"passageId"`
	Name       string `json:"name"`
	// Place is where it is in the document, and Version which of its versions.
	Place    string   `json:"place,omitempty"`
	Version  int      `json:"version"`
	Headings []string `json:"headings,omitempty"`
	// Head is the row above the columns of a table.
	Head string `json:"head,omitempty"`
	Text string `json:"text"`
	// Start and End are bytes of the text of the version.
	Start int     `json:"start"`
	End   int     `json:"end"`
	Score float64 `json:"score"`
	// More is how many other passages say nearly the same.
	More int `json:"more,omitempty"`
}

// Search is GET /api/v1/search.
func (s *Documents) Search(c echo.Context) error {
	if err := request.OneOf("in", c.QueryParam("in"), "documents"); err != nil {
		return err
	}
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	if strings.TrimSpace(c.QueryParam("q")) == "" {
		return agent.InvalidField("q", "is missing; say what to search for")
	}
	in, err := request.Chosen(c)
	if err != nil {
		return err
	}
	found, err := s.Service.Documents.Finder.Find(c.Request().Context(), agent.Search{
		UserID: request.Viewer(c).UserID, In: in, Query: c.QueryParam("q"), Limit: min(cmp.Or(p.Limit, usualFound), maxFound),
	})
	if err != nil {
		return err
	}
	items := make([]passage, len(found.Passages))
	for i, f := range found.Passages {
		items[i] = passage{f.DocumentID, f.PassageID, f.Name, f.Place, f.Version, f.Headings, f.Head, f.Text, f.Start, f.End, f.Score, f.More}
	}
	return c.JSON(http.StatusOK, struct {
		Items []passage `json:"items"`
		// WordsOnly says that meanings could not be compared this time.
		WordsOnly bool `json:"wordsOnly,omitempty"`
	}{items, found.WordsOnly})
}
