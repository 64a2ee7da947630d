package page

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/request"
	"fusebox/web/session"
)

// Notifications shows the pages about notifications and takes their forms.
type Notifications struct {
	*Site
	Store    notificationsStore
	Notify   NotifyInfo
	Sessions *session.Sessions
}

// notificationsStore is the part of the store that Notifications needs.
type notificationsStore interface {
	// Deliveries lists newest first.
	Deliveries(ctx context.Context, f agent.DeliveryFilter, p agent.Page) ([]agent.Delivery, string, error)
	// PostTest has a test told by a channel, audited; Conflict where it is not configured.
	PostTest(ctx context.Context, actor string, c agent.Channel) (fresh string, err error)
	// Resend makes a new delivery of one that is at its end, audited; Conflict while it is on its way.
	Resend(ctx context.Context, actor, id string) (fresh string, err error)
}

// deliveriesLimit is how many deliveries one page lists.
const deliveriesLimit = 50

// Show shows how people outside are told, and what they were told.
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
	p := page.NotificationsProps{
		Channels: s.channelRows(), PublicURL: s.Notify.PublicURL, Problem: problem, Filtered: f != agent.DeliveryFilter{},
		States: deliveryStates.selected(string(f.State)), Ways: deliveryChannels.selected(string(f.Channel)),
	}
	for _, d := range items {
		p.Rows = append(p.Rows, s.deliveryRow(d))
	}
	if next != "" {
		q.Set("cursor", next)
		p.Next = "/admin/notifications?" + q.Encode()
	}
	frame := s.shell(c, "Notifications", "notifications")
	frame.Wide = true
	return s.render(c, status, page.Notifications(frame, p))
}

var (
	deliveryStates = choices{
		{Value: "", Label: "All states"},
		{Value: string(agent.DeliveryPending), Label: "On its way"},
		{Value: string(agent.DeliverySent), Label: "Sent"},
		{Value: string(agent.DeliveryDead), Label: "Given up"},
	}
	deliveryChannels = choices{
		{Value: "", Label: "All channels"},
		{Value: string(agent.ChannelWebhook), Label: "Webhook"},
		{Value: string(agent.ChannelEmail), Label: "E-mail"},
	}
)

// channelRows say how the channels are set, without a secret.
func (s *Notifications) channelRows() []page.ChannelRow {
	webhook := page.ChannelRow{Name: "Webhook", Channel: string(agent.ChannelWebhook), On: s.Notify.WebhookHost != "", Off: "Set notify.webhook_url and notify.webhook_secret in the configuration."}
	if webhook.On {
		webhook.To = s.Notify.WebhookHost
		webhook.Note = "Signed with the secret of the configuration."
		if !s.Notify.Signed {
			webhook.Note = "Not signed: no secret is set."
		}
	}
	email := page.ChannelRow{Name: "E-mail", Channel: string(agent.ChannelEmail), On: s.Notify.Email(), Off: "Set notify.smtp_url and notify.from in the configuration."}
	if email.On {
		email.To, email.Note = s.Notify.SMTPHost, "From "+s.Notify.From+". A test goes to you."
	}
	return []page.ChannelRow{webhook, email}
}

// deliveryRow is a delivery as a row of the table.
func (s *Notifications) deliveryRow(d agent.Delivery) page.DeliveryRow {
	row := page.DeliveryRow{
		ID: d.ID, Event: string(d.Event), Approval: d.ApprovalID, Channel: channelName(d.Channel), Receiver: d.Receiver,
		Tries: strconv.Itoa(d.Attempts), At: d.CreatedAt, Problem: d.Problem,
	}
	switch d.State {
	case agent.DeliverySent:
		row.State, row.Tone, row.Sent, row.Again = "sent", "good", d.SentAt, true
	case agent.DeliveryDead:
		row.State, row.Tone, row.Again = "given up", "tripped", true
	default:
		row.State = "on its way"
		if d.Problem != "" {
			row.State, row.Tone = "tried again", "warm"
		}
		row.Next = d.NextAt
	}
	if d.Channel == agent.ChannelWebhook {
		row.Receiver = s.Notify.WebhookHost
	}
	return row
}

func channelName(c agent.Channel) string {
	for _, choice := range deliveryChannels {
		if choice.Value == string(c) {
			return choice.Label
		}
	}
	return string(c)
}

// Test sends a test by one channel, from the page.
func (s *Notifications) Test(c echo.Context) error {
	channel := agent.Channel(c.FormValue("channel"))
	err := request.CheckChannel(channel)
	if err == nil {
		_, err = s.Store.PostTest(c.Request().Context(), request.Viewer(c).Email, channel)
	}
	if code := agent.CodeOf(err); code == agent.Conflict || code == agent.Invalid {
		return s.show(c, request.StatusOf(code, http.MethodPost), agent.MessageOf(err))
	}
	if err != nil {
		return err
	}
	s.Sessions.Flash(c, "A test is on its way. Its row below says what became of it.")
	return c.Redirect(http.StatusSeeOther, "/admin/notifications")
}

// Resend sends a delivery once more, from the page.
func (s *Notifications) Resend(c echo.Context) error {
	_, err := s.Store.Resend(c.Request().Context(), request.Viewer(c).Email, c.Param("id"))
	if agent.CodeOf(err) == agent.Conflict {
		return s.show(c, http.StatusConflict, agent.MessageOf(err))
	}
	if err != nil {
		return err
	}
	s.Sessions.Flash(c, "It is sent once more.")
	return c.Redirect(http.StatusSeeOther, "/admin/notifications")
}

// NotifyInfo is what admins see of how people outside are told; no secret is in it.
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
