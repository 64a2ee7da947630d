package page

import (
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/request"
)

// collectionBoxes are those that are open to the viewer, and what else was chosen already: it may
// be open to others.
func (s *Site) collectionBoxes(c echo.Context, chosen agent.CollectionChoice, usual bool) (page.CollectionBoxes, error) {
	tr, v := words(c), request.Viewer(c)
	b := page.CollectionBoxes{Usual: usual, Boxes: []page.CollectionBox{
		{ID: agent.OwnCollection, Label: tr.T("collection.own"), Chosen: slices.Contains(chosen, agent.OwnCollection)},
	}}
	open, err := s.Store.Collections(c.Request().Context(), v.UserID)
	if err != nil {
		return b, err
	}
	offered := []string{agent.OwnCollection, agent.AllCollections}
	for _, o := range open {
		box := page.CollectionBox{ID: o.ID, Label: o.Name, Chosen: slices.Contains(chosen, o.ID)}
		if o.OwnerID != v.UserID {
			box.Owner = o.Owner
		}
		offered, b.Boxes = append(offered, o.ID), append(b.Boxes, box)
	}
	for _, id := range chosen {
		if !slices.Contains(offered, id) {
			b.Boxes = append(b.Boxes, page.CollectionBox{ID: id, Label: tr.T("collection.not_open"), Chosen: true})
		}
	}
	return b, nil
}

// typedCollections is what a form chooses: usual where that is ticked, nil where the form offered none.
func typedCollections(form url.Values, usual agent.CollectionChoice) *agent.CollectionChoice {
	if !form.Has("collectionsOffered") {
		return nil
	}
	chosen := usual
	if form.Get("usualCollections") == "" {
		chosen = append(agent.CollectionChoice{}, form["collections"]...)
	}
	return &chosen
}
