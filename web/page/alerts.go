package page

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Alerts shows the pages about alerts and takes their forms.
type Alerts struct {
	*site.Site
}

// alertsLimit is how many alerts one page lists.
const alertsLimit = 50

// Show lists the viewer's alerts about money. What it shows counts
// as seen from then on.
func (s *Alerts) Show(c echo.Context) error {
	v, ctx, cursor := request.Viewer(c), c.Request().Context(), c.QueryParam("cursor")
	items, next, err := s.Bell.Alerts(ctx, v, agent.Page{Limit: alertsLimit, Cursor: cursor})
	if err != nil {
		return err
	}
	props := page.AlertsProps{Everyone: v.Role == agent.RoleAdmin, Later: cursor != "", Alerts: items}
	if next != "" {
		props.Next = "/alerts?cursor=" + url.QueryEscape(next)
	}
	if len(items) > 0 && cursor == "" && !items[0].Seen {
		if err := s.Store.SeeAlerts(ctx, v, items[0].At); err != nil {
			return err
		}
	}
	return s.Render(c, http.StatusOK, page.Alerts(s.Shell(c, site.Words(c).T("page.title.alerts"), "alerts"), props))
}
