package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/present"
	"fusebox/web/request"
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
		return s.showImport(c, http.StatusConflict, agent.MessageOf(err), nil, false)
	}
	return s.showImport(c, http.StatusOK, "", &held, c.QueryParam("models") == "all")
}

func (s *Prices) showImport(c echo.Context, status int, problem string, held *heldList, all bool) error {
	p := page.PriceImportProps{Problem: problem}
	if held != nil {
		p.Preview = s.preview(*held, all)
	}
	return s.render(c, status, page.PriceImport(s.shell(c, "Import prices", "models"), p))
}

// preview is what a list would change, in words.
func (s *Prices) preview(held heldList, all bool) *page.PricePreview {
	plan := s.Service.Prices.Plan(held.list, all)
	n := plan.Counts()
	p := &page.PricePreview{
		ID: held.id, Source: held.source, All: all, New: n.New, Changed: n.Changed, Same: n.Same, Skipped: n.Skipped, Writes: n.New + n.Changed,
	}
	for _, change := range append(plan.Changed, plan.New...) {
		if len(p.Changes) == shownChanges {
			break
		}
		after := present.PricePart(change.After)
		row := page.PriceChange{Model: change.After.Name(), After: after}
		if change.Before.Known {
			before := present.PricePart(change.Before)
			row.Before = &before
		}
		p.Changes = append(p.Changes, row)
	}
	for _, skip := range plan.Skipped[:min(len(plan.Skipped), shownChanges)] {
		p.Skips = append(p.Skips, page.PriceSkip{Model: skip.Model, Why: skip.Why})
	}
	return p
}
