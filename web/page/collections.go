package page

import (
	"cmp"
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

// choose fills in the collections that are open to the viewer, and returns the one that p or else the
// address names: NotFound where it is not open to them.
func (s *Documents) choose(c echo.Context, p *page.DocumentsProps) (in agent.CollectionChoice, err error) {
	ctx, userID, all := c.Request().Context(), request.Viewer(c).UserID, &p.Collections
	if all.List, err = s.Store.Collections(ctx, userID); err != nil {
		return nil, err
	}
	everything, err := s.Store.CountDocuments(ctx, userID, agent.Everything())
	if err != nil {
		return nil, err
	}
	own, err := s.Store.CountDocuments(ctx, userID, agent.CollectionChoice{agent.OwnCollection})
	if err != nil {
		return nil, err
	}
	all.All, all.Own = everything.All, own.All
	switch id := cmp.Or(all.Open.ID, c.QueryParam("collection")); id {
	case "":
		p.Counts = everything
		return agent.Everything(), nil
	case agent.OwnCollection:
		p.Counts, all.Open = own, agent.Collection{ID: agent.OwnCollection, Right: agent.RightOwn}
		return agent.CollectionChoice{id}, nil
	default:
		if all.Open, err = s.Store.Collection(ctx, userID, id); err == nil {
			p.Counts, err = s.Store.CountDocuments(ctx, userID, agent.CollectionChoice{id})
		}
		return agent.CollectionChoice{id}, err
	}
}

// place fills in which collection a document is in, who added it, and where the viewer may move it.
func (s *Documents) place(c echo.Context, p *page.DocumentProps) error {
	ctx, userID, d := c.Request().Context(), request.Viewer(c).UserID, p.Document
	open, err := s.Store.Collections(ctx, userID)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(open, func(one agent.Collection) bool { return one.ID == d.CollectionID }); at >= 0 {
		p.Collection = open[at]
	}
	if d.AddedBy != "" && d.AddedBy != userID {
		by, err := s.Site.Store.UserByID(ctx, d.AddedBy)
		switch agent.CodeOf(err) {
		case "":
			p.AddedBy = by.Email
		case agent.NotFound:
			p.AddedBy = agent.RemovedUser(d.AddedBy)
		default:
			return err
		}
	}
	if d.Right < agent.RightOwn {
		return nil
	}
	if p.Collection.ID != "" {
		p.Moves = append(p.Moves, agent.Collection{ID: agent.OwnCollection, Right: agent.RightOwn})
	}
	for _, one := range open {
		if one.Right >= agent.RightWrite && one.ID != d.CollectionID {
			p.Moves = append(p.Moves, one)
		}
	}
	return nil
}

// Move puts a document into another collection.
func (s *Documents) Move(c echo.Context) error {
	id, to := c.Param("id"), c.FormValue("collection")
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			return site.Words(c).T("collection.moved"), documentsPath + "/" + id, s.Service.Documents.Move(c.Request().Context(), request.Viewer(c).UserID, id, to)
		},
		Again: func(status int, _ map[string]string, problem string) error {
			return s.showOne(c, status, page.DocumentProps{Problem: problem})
		},
	})
}

// NewCollection shows the form of a new collection.
func (s *Documents) NewCollection(c echo.Context) error {
	group, err := s.Store.UserGroup(c.Request().Context(), request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	f := page.CollectionForm{Collection: agent.Collection{Visibility: agent.VisiblePrivate, Access: agent.RightRead}}
	if group != "" {
		f.Collection.Groups = []string{group}
	}
	return s.showCollection(c, http.StatusOK, f)
}

// ShowCollection shows the form of a collection to its owner, and its documents to others.
func (s *Documents) ShowCollection(c echo.Context) error {
	one, err := s.Store.Collection(c.Request().Context(), request.Viewer(c).UserID, c.Param("id"))
	if err != nil {
		return err
	}
	if one.Right < agent.RightOwn {
		return c.Redirect(http.StatusSeeOther, page.DocumentsIn(one.ID))
	}
	return s.showCollection(c, http.StatusOK, page.CollectionForm{Collection: one})
}

// showCollection fills in what can be chosen: the viewer's own group, all groups for admins, and
// those that were chosen before.
func (s *Documents) showCollection(c echo.Context, status int, f page.CollectionForm) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	group, err := s.Store.UserGroup(ctx, v.UserID)
	if err != nil {
		return err
	}
	f.Groups = slices.Clone(f.Collection.Groups)
	if group != "" {
		f.Groups = append(f.Groups, group)
	}
	if v.Role == agent.RoleAdmin {
		all, err := s.Site.Store.Groups(ctx)
		if err != nil {
			return err
		}
		f.Groups = append(f.Groups, all...)
	}
	slices.Sort(f.Groups)
	f.Groups = slices.Compact(f.Groups)
	if f.People, err = s.Site.Store.CountUsers(ctx); err != nil {
		return err
	}
	f.People--
	title := site.Words(c).T("collection.new")
	if f.Collection.ID != "" {
		title = site.Words(c).T("collection.change")
	}
	return s.Render(c, status, page.Collection(s.Shell(c, title, "documents"), f))
}

// CreateCollection takes the form of a new collection.
func (s *Documents) CreateCollection(c echo.Context) error {
	return s.saveCollection(c, agent.Collection{}, func(patch agent.CollectionPatch) (agent.Collection, error) {
		return s.Service.Documents.CreateCollection(c.Request().Context(), request.Viewer(c), patch)
	})
}

// UpdateCollection takes the form of a collection.
func (s *Documents) UpdateCollection(c echo.Context) error {
	ctx, v, id := c.Request().Context(), request.Viewer(c), c.Param("id")
	before, err := s.Store.Collection(ctx, v.UserID, id)
	if err != nil {
		return err
	}
	return s.saveCollection(c, before, func(patch agent.CollectionPatch) (agent.Collection, error) {
		return s.Service.Documents.UpdateCollection(ctx, v, id, patch)
	})
}

// saveCollection saves what was typed, or shows it again.
func (s *Documents) saveCollection(c echo.Context, before agent.Collection, save func(agent.CollectionPatch) (agent.Collection, error)) error {
	typed := before
	typed.Name, typed.Visibility = c.FormValue("name"), agent.Visibility(c.FormValue("visibility"))
	typed.Groups = c.Request().Form["groups"]
	accessErr := typed.Access.UnmarshalText([]byte(c.FormValue("access")))
	return s.Answer(c, site.Form{
		OfReaders: true,
		Bad:       request.FieldErrors(site.Words(c), accessErr),
		Save: func() (said, next string, err error) {
			after, err := save(agent.CollectionPatch{Name: &typed.Name, Visibility: &typed.Visibility, Groups: &typed.Groups, Access: &typed.Access})
			return site.Words(c).T("collection.saved"), page.DocumentsIn(after.ID), err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			if before.ID != "" && before.Right < agent.RightOwn { // the form is not for them
				return s.showIn(c, status, before.ID, problem)
			}
			return s.showCollection(c, status, page.CollectionForm{Collection: typed, Errors: fields, Problem: problem})
		},
	})
}

// DeleteCollection deletes a collection. Its documents are kept.
func (s *Documents) DeleteCollection(c echo.Context) error {
	return s.Answer(c, site.Form{
		OfReaders: true,
		Save: func() (said, next string, err error) {
			err = s.Service.Documents.DeleteCollection(c.Request().Context(), request.Viewer(c), c.Param("id"))
			return site.Words(c).T("collection.deleted"), page.DocumentsIn(agent.OwnCollection), err
		},
		Again: func(status int, _ map[string]string, problem string) error {
			return s.showIn(c, status, c.Param("id"), problem)
		},
	})
}

// showIn shows the documents of a collection, and why something was not done there.
func (s *Documents) showIn(c echo.Context, status int, id, problem string) error {
	return s.show(c, status, page.DocumentsProps{Problem: problem, Collections: page.Collections{Open: agent.Collection{ID: id}}})
}

// collectionBoxes are those that are open to the viewer, and what else was chosen already: it may
// be open to others.
func collectionBoxes(c echo.Context, store service.CollectionStore, chosen agent.CollectionChoice, usual bool) (page.CollectionBoxes, error) {
	tr, v := site.Words(c), request.Viewer(c)
	b := page.CollectionBoxes{Usual: usual, Boxes: []page.CollectionBox{
		{ID: agent.OwnCollection, Label: tr.T("collection.own"), Chosen: slices.Contains(chosen, agent.OwnCollection)},
	}}
	open, err := store.Collections(c.Request().Context(), v.UserID)
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
