package money

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// shownChanges is how many rows of each kind the preview lists.
const shownChanges = 200

// ShowImport shows the form of an import, or with ?list= what a list that
// was uploaded would change; ?models=all is for all models of it.
func (s *Prices) ShowImport(c echo.Context) error {
	id := c.QueryParam("list")
	if id == "" {
		return s.showImport(c, http.StatusOK, "", nil, false)
	}
	held, err := s.lists.get(id, request.Viewer(c).UserID)
	if err != nil {
		return s.showImport(c, http.StatusConflict, request.Said(site.Words(c), err), nil, false)
	}
	return s.showImport(c, http.StatusOK, "", &held, c.QueryParam("models") == "all")
}

func (s *Prices) showImport(c echo.Context, status int, problem string, held *heldList, all bool) error {
	p := page.PriceImportProps{Problem: problem}
	if held != nil {
		p.Preview = s.preview(site.Words(c), *held, all)
	}
	return s.Render(c, status, page.PriceImport(s.Shell(c, site.Words(c).T("page.title.import_prices"), "models"), p))
}

// preview is what a list would change, in words.
func (s *Prices) preview(tr *text.Printer, held heldList, all bool) *page.PricePreview {
	plan := s.Service.Prices.Plan(held.list, all)
	n := plan.Counts()
	p := &page.PricePreview{
		ID: held.id, Source: held.source, All: all, New: n.New, Changed: n.Changed, Same: n.Same, Skipped: n.Skipped, Writes: n.New + n.Changed,
	}
	for _, change := range append(plan.Changed, plan.New...) {
		if len(p.Changes) == shownChanges {
			break
		}
		after := present.PricePart(tr, change.After)
		row := page.PriceChange{Model: change.After.Name(), After: after}
		if change.Before.Known {
			before := present.PricePart(tr, change.Before)
			row.Before = &before
		}
		p.Changes = append(p.Changes, row)
	}
	for _, skip := range plan.Skipped[:min(len(plan.Skipped), shownChanges)] {
		p.Skips = append(p.Skips, page.PriceSkip{Model: skip.Model, Why: skip.Why})
	}
	return p
}

// Upload takes a list of prices, uploaded or pasted, and leads to what it
// would change. Nothing is changed yet.
func (s *Prices) Upload(c echo.Context) error {
	list, name, err := s.typedList(c)
	if agent.CodeOf(err) == agent.Invalid {
		return s.showImport(c, http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err)["file"], nil, false)
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
		return list, "", agent.InvalidField("file", "was not uploaded completely; choose it again")
	case strings.TrimSpace(c.FormValue("text")) == "":
		return list, "", agent.InvalidField("file", "is missing; choose a file or paste its text")
	}
	list, err = s.Prices.ReadList(r)
	return list, name, err
}

// ConfirmImport imports a list whose changes were shown.
func (s *Prices) ConfirmImport(c echo.Context) error {
	held, err := s.lists.get(c.FormValue("list"), request.Viewer(c).UserID)
	if agent.CodeOf(err) == agent.Conflict {
		return s.showImport(c, http.StatusConflict, request.Said(site.Words(c), err), nil, false)
	}
	if err != nil {
		return err
	}
	plan := s.Service.Prices.Plan(held.list, c.FormValue("models") == "all")
	switch err := s.Service.Prices.Import(c.Request().Context(), request.Viewer(c), plan, held.source); agent.CodeOf(err) {
	case "":
	case agent.Invalid, agent.Conflict:
		return s.showImport(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), request.Said(site.Words(c), err), nil, false)
	default:
		return err
	}
	s.lists.drop(held.id)
	return s.Back(c, "/admin/models", site.Words(c).T("page.prices.imported", len(plan.Rows())))
}

// maxHeld is how many lists of prices wait for a confirmation at most: the
// oldest is let go of. An admin sees what a list would change before it does.
const maxHeld = 8

// heldList is a list of prices that was read and not confirmed yet.
type heldList struct {
	id, userID, source string
	list               agent.PriceList
}

// heldLists are those of this process, oldest first.
type heldLists struct {
	mu    sync.Mutex
	lists []heldList
}

func (h *heldLists) keep(l heldList) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists = append(h.lists, l)
	if len(h.lists) > maxHeld {
		h.lists = slices.Delete(h.lists, 0, len(h.lists)-maxHeld)
	}
}

// get returns a list to the person who uploaded it; Conflict where it is gone.
func (h *heldLists) get(id, userID string) (heldList, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.lists, func(l heldList) bool { return l.id == id && l.userID == userID })
	if i < 0 {
		return heldList{}, agent.Errorf(agent.Conflict, "This list is gone: it was imported, or the server was restarted. Upload it again.")
	}
	return h.lists[i], nil
}

func (h *heldLists) drop(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists = slices.DeleteFunc(h.lists, func(l heldList) bool { return l.id == id })
}
