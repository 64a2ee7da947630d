package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// tried settles the deliveries that are due, each as it is told.
func (s *site) tried(change func(*agent.Delivery)) {
	s.t.Helper()
	for _, c := range []agent.Channel{agent.ChannelWebhook, agent.ChannelEmail} {
		due, err := s.db.ClaimDeliveries(s.t.Context(), c, s.clock.Now(), s.clock.Now().Add(time.Minute), 100)
		s.ok(err)
		for _, d := range due {
			change(&d)
			s.ok(s.db.FinishDelivery(s.t.Context(), d))
		}
	}
}

// TestAdminsSeeWhatWasTold: how the channels are set, each delivery and what
// became of it, and what is at its end goes out once more as a new one.
func TestAdminsSeeWhatWasTold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("ana@example.org", agent.RoleAdmin)
	b := s.as(admin)
	b.get("/admin/notifications").check(t, want{status: 200, has: []string{
		"hooks.example.org", "Signed with the configured secret", "mail.example.org:587", "From box@example.org", "https://box.example.org", "No notifications sent yet",
		`href="/admin/notifications"`,
	}})
	b.post("/admin/notifications/test", form("channel", "email")).check(t, want{status: http.StatusSeeOther, location: "/admin/notifications"})
	b.post("/admin/notifications/test", form("channel", "webhook")).check(t, want{status: http.StatusSeeOther, location: "/admin/notifications"})
	b.get("/admin/notifications").check(t, want{status: 200, has: []string{">pending<", admin.Email, "Test queued"}, hasNot: []string{"/resend"}})
	b.post("/admin/notifications/test", form("channel", "pigeon")).check(t, want{status: 422, has: []string{"pigeon", "allowed: webhook, email"}})
	s.tried(func(d *agent.Delivery) {
		d.State, d.Problem = agent.DeliveryDead, "The receiver answered 410 Gone: <b>bye</b>"
		if d.Channel == agent.ChannelEmail {
			d.State, d.Problem, d.SentAt = agent.DeliverySent, "", s.clock.Now()
		}
	})
	b.get("/admin/notifications").check(t, want{status: 200, has: []string{">failed<", "410 Gone: &lt;b&gt;bye", "Resend to hooks.example.org", "Resend to " + admin.Email}})
	b.get("/admin/notifications?state=sent&channel=webhook").check(t, want{status: 200, has: []string{"No deliveries match this filter"}})
	b.get("/admin/notifications?state=odd").check(t, want{status: 400, has: []string{"pending, sent, dead"}})

	dead, _, err := s.db.Deliveries(t.Context(), agent.DeliveryFilter{State: agent.DeliveryDead}, agent.Page{})
	s.ok(err)
	path := "/admin/notifications/" + dead[0].ID + "/resend"
	b.post(path, nil).check(t, want{status: http.StatusSeeOther, location: "/admin/notifications"})
	again, _, err := s.db.Deliveries(t.Context(), agent.DeliveryFilter{State: agent.DeliveryPending}, agent.Page{})
	s.ok(err)
	if len(again) != 1 || again[0].ID == dead[0].ID || again[0].Attempts != 0 || string(again[0].Payload) != string(dead[0].Payload) {
		t.Errorf("sent again: %+v", again)
	}
	b.post("/admin/notifications/"+again[0].ID+"/resend", nil).check(t, want{status: http.StatusConflict, has: []string{"still in progress"}})
	b.post("/admin/notifications/nope/resend", nil).check(t, want{status: http.StatusNotFound})
	if audit := s.client(admin).call("GET", "/api/v1/audit", "").body; strings.Count(audit, `"notify.test"`) != 2 || strings.Count(audit, `"notify.resend"`) != 1 {
		t.Errorf("audit: %s", audit)
	}
}

// TestDeliveriesByProgram: the same over the API, page by page.
func TestDeliveriesByProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ana@example.org", agent.RoleAdmin))
	for range 3 {
		if got := c.call("POST", "/api/v1/notifications/test", `{"channel":"webhook"}`); got.status != http.StatusCreated {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	var p struct {
		Items      []agent.Delivery
		NextCursor string
	}
	seen := 0
	for next := ""; ; next = "&cursor=" + p.NextCursor {
		got := c.call("GET", "/api/v1/notifications?limit=2&channel=webhook"+next, "")
		p.NextCursor = ""
		s.ok(json.Unmarshal([]byte(got.body), &p))
		seen += len(p.Items)
		if p.NextCursor == "" {
			break
		}
	}
	if seen != 3 || p.Items[0].Event != agent.NotifyTest || p.Items[0].State != agent.DeliveryPending {
		t.Errorf("%d deliveries, the last %+v", seen, p.Items)
	}
	s.tried(func(d *agent.Delivery) { d.State = agent.DeliverySent })
	for path, status := range map[string]int{
		p.Items[0].ID + "/resend": http.StatusCreated, "nope/resend": http.StatusNotFound, "test": http.StatusUnprocessableEntity,
	} {
		if got := c.call("POST", "/api/v1/notifications/"+path, `{}`); got.status != status {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// TestPeopleSwitchTheirEmailsOff: and get none from then on.
func TestPeopleSwitchTheirEmailsOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rex := s.user("rex@example.org", agent.RoleReviewer)
	b := s.as(rex)
	b.get("/settings/notifications").check(t, want{status: 200, has: []string{`name="notify" value="true" checked`}})
	b.post("/settings/notifications", nil).check(t, want{status: http.StatusSeeOther, location: "/settings/notifications"})
	b.get("/settings/notifications").check(t, want{status: 200, has: []string{"You won’t get these emails"}, hasNot: []string{`name="notify" value="true" checked`}})
	b.post("/settings/notifications", form("notify", "true")).check(t, want{status: http.StatusSeeOther, location: "/settings/notifications"})
	u, err := s.db.UserByID(t.Context(), rex.ID)
	s.ok(err)
	if !u.Notify {
		t.Error("it stayed off")
	}
}
