package page

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// Upload takes a list of prices, uploaded or pasted, and leads to what it
// would change. Nothing is changed yet.
func (s *Prices) Upload(c echo.Context) error {
	list, name, err := s.typedList(c)
	if agent.CodeOf(err) == agent.Invalid {
		return s.showImport(c, http.StatusUnprocessableEntity, agent.FieldErrors(err)["file"], nil, false)
	}
	if err != nil {
		return err
	}
	held := heldList{id: s.NewID(), userID: request.Viewer(c).UserID, list: list, source: cmp.Or(strings.TrimSpace(c.FormValue("source")), name, request.PriceListSource)}
	s.lists.keep(held)
	return c.Redirect(http.StatusSeeOther, request.PriceListPage+"?list="+url.QueryEscape(held.id))
}

// typedList reads the file of the form, or else its text.
func (s *Prices) typedList(c echo.Context) (list agent.PriceList, name string, err error) {
	var r io.Reader = strings.NewReader(c.FormValue("text"))
	file, err := c.FormFile("file")
	switch {
	case err == nil && file.Size > 0:
		opened, err := file.Open()
		if err != nil {
			return list, "", err
		}
		defer func() { _ = opened.Close() }()
		r, name = opened, path.Base(file.Filename)
	case errors.Is(err, echo.ErrStatusRequestEntityTooLarge):
		return list, "", err
	case err != nil && !errors.Is(err, http.ErrMissingFile) && !errors.Is(err, http.ErrNotMultipart):
		return list, "", agent.InvalidField("file", "did not arrive whole; choose it again")
	case strings.TrimSpace(c.FormValue("text")) == "":
		return list, "", agent.InvalidField("file", "is missing; choose a file or paste its text")
	}
	list, err = s.Prices.ReadList(r)
	return list, name, err
}
