package page

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/site"
)

// definitions are what admins define under a name, with all its versions, as pages need them.
type definitions[T any] struct {
	versions func(ctx context.Context, name string) ([]T, error)
	// one is the newest version for 0; NotFound where that was deleted.
	one func(ctx context.Context, name string, version int) (*T, error)
	row func(T) page.DefinitionRow
}

// asked is the version that the address asks for with ?version=, and its number, 0 where that
// is the newest one.
func (d definitions[T]) asked(c echo.Context) (shown T, older int, err error) {
	ctx, name := c.Request().Context(), c.Param("name")
	versions, err := d.versions(ctx, name)
	if err != nil {
		return shown, 0, err
	}
	n, _ := strconv.Atoi(c.QueryParam("version")) // anything but a number counts as none
	if n <= 0 || n == d.row(versions[0]).Version {
		return versions[0], 0, nil
	}
	found, err := d.one(ctx, name, n)
	if err != nil {
		return shown, 0, err
	}
	return *found, n, nil
}

// fill adds what is known of a name that is in use, and returns its newest version, "" where
// that was deleted.
func (d definitions[T]) fill(ctx context.Context, p *page.DefinitionProps, name string) (newest string, err error) {
	p.Name = name
	versions, err := d.versions(ctx, name)
	if err != nil {
		return "", err
	}
	for _, v := range versions {
		p.Versions = append(p.Versions, d.row(v))
	}
	now, err := d.one(ctx, name, 0)
	if agent.CodeOf(err) == agent.NotFound {
		p.Deleted = true
		return "", nil
	}
	if err != nil {
		return "", err
	}
	row := d.row(*now)
	p.Configured = row.Configured
	return strconv.Itoa(row.Version), nil
}

// ended answers the deletion of a definition, after the page has asked: done is what is said of
// it, list where the others are, and show shows them with what was in the way.
func ended(c echo.Context, s *site.Site, err error, done, list string, show func(c echo.Context, status int, problem string) error) error {
	if code := agent.CodeOf(err); code == agent.Conflict || code == agent.NotFound {
		return show(c, request.StatusOf(code, http.MethodPost), request.Said(site.Words(c), err))
	}
	if err != nil {
		return err
	}
	return s.Back(c, list, done)
}
