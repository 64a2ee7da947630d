package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Notifications shows the pages about notifications and takes their forms.
type Notifications struct {
	*site.Site
	Notify NotifyInfo
}

// deliveriesLimit is how many deliveries one page lists.
const deliveriesLimit = 50

// Show shows the channels by which people are notified, and what was sent.
func (s *Notifications) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, "")
}

// show renders the page, with what a form that was refused has to say.
func (s *Notifications) show(c echo.Context, status int, problem string) error {
	q := c.QueryParams()
	f, err := request.DeliveryFilter(q)
	if err != nil {
		return err
	}
	items, next, err := s.Store.Deliveries(c.Request().Context(), f, agent.Page{Limit: deliveriesLimit, Cursor: q.Get("cursor")})
	if err != nil {
		return err
	}
	tr := site.Words(c)
	p := page.NotificationsProps{
		Channels: s.channelRows(tr), Deliveries: items, WebhookHost: s.Notify.WebhookHost, PublicURL: s.Notify.PublicURL, Problem: problem,
		Filtered: f != agent.DeliveryFilter{},
		States: site.Choices(string(f.State), [][2]string{
			{"", tr.T("page.notifications.all_states")}, {string(agent.DeliveryPending), tr.T("page.notifications.pending")},
			{string(agent.DeliverySent), tr.T("page.notifications.sent")}, {string(agent.DeliveryDead), tr.T("page.notifications.dead")},
		}),
		Ways: site.Choices(string(f.Channel), [][2]string{
			{"", tr.T("page.notifications.all_channels")}, {string(agent.ChannelWebhook), page.ChannelName(tr, agent.ChannelWebhook)},
			{string(agent.ChannelEmail), page.ChannelName(tr, agent.ChannelEmail)},
		}),
	}
	if next != "" {
		q.Set("cursor", next)
		p.Next = "/admin/notifications?" + q.Encode()
	}
	frame := s.Shell(c, site.Words(c).T("page.title.notifications"), "notifications")
	frame.Wide = true
	return s.Render(c, status, page.Notifications(frame, p))
}

// channelRows say how the channels are set, without a secret.
func (s *Notifications) channelRows(tr *text.Printer) []page.ChannelRow {
	webhook := page.ChannelRow{Name: page.ChannelName(tr, agent.ChannelWebhook), Channel: string(agent.ChannelWebhook), On: s.Notify.WebhookHost != "", Off: tr.T("page.notifications.webhook_off")}
	if webhook.On {
		webhook.To = s.Notify.WebhookHost
		webhook.Note = tr.T("page.notifications.signed")
		if !s.Notify.Signed {
			webhook.Note = tr.T("page.notifications.unsigned")
		}
	}
	email := page.ChannelRow{Name: page.ChannelName(tr, agent.ChannelEmail), Channel: string(agent.ChannelEmail), On: s.Notify.Email(), Off: tr.T("page.notifications.email_off")}
	if email.On {
		email.To, email.Note = s.Notify.SMTPHost, tr.T("page.notifications.email_note", s.Notify.From)
	}
	return []page.ChannelRow{webhook, email}
}

// Test sends a test by one channel, from the page.
func (s *Notifications) Test(c echo.Context) error {
	channel := agent.Channel(c.FormValue("channel"))
	err := request.CheckChannel(channel)
	if err == nil {
		_, err = s.Store.PostTest(c.Request().Context(), request.Viewer(c).Email, channel)
	}
	if code := agent.CodeOf(err); code == agent.Conflict || code == agent.Invalid {
		return s.show(c, request.StatusOf(code, http.MethodPost), request.Said(site.Words(c), err))
	}
	if err != nil {
		return err
	}
	return s.Back(c, "/admin/notifications", site.Words(c).T("page.notifications.test"))
}

// Resend sends a delivery once more, from the page.
func (s *Notifications) Resend(c echo.Context) error {
	_, err := s.Store.Resend(c.Request().Context(), request.Viewer(c).Email, c.Param("id"))
	if agent.CodeOf(err) == agent.Conflict {
		return s.show(c, http.StatusConflict, request.Said(site.Words(c), err))
	}
	if err != nil {
		return err
	}
	return s.Back(c, "/admin/notifications", site.Words(c).T("page.notifications.resent"))
}

// NotifyInfo is what admins see of the channels by which people are notified; no secret is in it.
type NotifyInfo struct {
	// PublicURL is where links lead.
	PublicURL string
	// WebhookHost is "" without a webhook; Signed says that it has a secret.
	WebhookHost string
	Signed      bool
	// SMTPHost is "" without e-mail.
	SMTPHost, From string
}

// Email reports whether e-mails are sent.
func (i NotifyInfo) Email() bool { return i.SMTPHost != "" }
