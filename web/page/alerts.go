package page

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/live"
	"fusebox/web/request"
)

// Alerts shows the pages about alerts and takes their forms.
type Alerts struct {
	*Site
	Store service.AlertStore
	Bell  *live.Bell
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
	props := page.AlertsProps{Everyone: v.Role == agent.RoleAdmin, Later: cursor != ""}
	for _, a := range items {
		kind, tone := live.AlertKind(words(c), a.Kind)
		props.Rows = append(props.Rows, page.AlertRow{ID: a.ID, Kind: kind, Tone: tone, Text: words(c).Recorded(a.Message), Path: a.Path, Place: alertPlace(words(c), a.Path), At: a.At, New: !a.Seen})
	}
	if next != "" {
		props.Next = "/alerts?cursor=" + url.QueryEscape(next)
	}
	if len(items) > 0 && cursor == "" && !items[0].Seen {
		if err := s.Store.SeeAlerts(ctx, v, items[0].At); err != nil {
			return err
		}
	}
	return s.render(c, http.StatusOK, page.Alerts(s.shell(c, words(c).T("page.title.alerts"), "alerts"), props))
}

// alertPlace names the page that an alert leads to.
func alertPlace(tr *text.Printer, path string) string {
	switch section, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); {
	case path == "/admin/spend":
		return tr.T("page.alerts.spend")
	case section == "admin":
		return tr.T("page.alerts.budgets")
	case section == "runs":
		return tr.T("page.alerts.run")
	case section == "c":
		return tr.T("page.alerts.conversation")
	default:
		return tr.T("page.alerts.settings")
	}
}
