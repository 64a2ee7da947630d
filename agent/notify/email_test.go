package notify

import (
	"encoding/json"
	"errors"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

func (s *mailServer) channel(r Relay, clock agent.Clock) *Email {
	s.t.Helper()
	e, err := NewEmail(EmailOptions{
		Relay: r, From: "Fusebox <box@example.org>", PublicURL: "https://example.org/fusebox", Write: writeShort, Clock: clock, RootCAs: s.roots,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// writeShort is a letter of one line.
func writeShort(p agent.NotifyPayload, base, lang string, _ time.Time) (Letter, error) {
	said := OneLine(p.ToolName+" "+p.ConversationTitle) + " " + base + p.Path + lang
	return Letter{Subject: OneLine(p.ToolName) + " waits", Text: said, HTML: "<p>" + html.EscapeString(said)}, nil
}

func emailTo(to string, p agent.NotifyPayload) agent.Delivery {
	raw, _ := json.Marshal(p)
	return agent.Delivery{ID: "d1", Event: p.Event, ApprovalID: p.ApprovalID, Channel: agent.ChannelEmail, Receiver: to, Payload: raw}
}

func shellWaits(clock agent.Clock) agent.NotifyPayload {
	return agent.NotifyPayload{
		Event: agent.NotifyRequested, ApprovalID: "a1", Kind: agent.KindTool, Risk: agent.RiskHigh, ToolName: "run_shell",
		Message: "It can run any program.", Owner: "bob@example.org", ConversationTitle: "Clean <b>up</b>", Path: "/approvals/a1",
		ExpiresAt: clock.Now().Add(90 * time.Minute),
	}
}

// parts reads a mail: its header, its text, its page.
func parts(t *testing.T, data string) (h mail.Header, text, page string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("content type %s, %v", kind, err)
	}
	var bodies []string
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(raw))
	}
	if len(bodies) != 2 {
		t.Fatalf("%d parts", len(bodies))
	}
	return m.Header, bodies[0], bodies[1]
}

// TestEmailSaysWhatWaits: by each kind of connection, with a login where one is wanted.
func TestEmailSaysWhatWaits(t *testing.T) {
	t.Parallel()
	const login = "box%40example.org:p%2Fss@"
	for _, row := range []struct {
		scheme, login string
		with          mailHabits
	}{
		{"smtp+plain", "", mailHabits{}},
		{"smtp", login, mailHabits{startTLS: true, user: "box@example.org", password: "p/ss"}},
		{"smtps", login, mailHabits{implicit: true, user: "box@example.org", password: "p/ss"}},
		{"smtp+plain", "", mailHabits{hangUp: true}}, // it has the mail all the same
	} {
		t.Run(row.scheme, func(t *testing.T) {
			t.Parallel()
			clock := agenttest.NewClock()
			s := newMailServer(t, row.with)
			o := newOutbox(emailTo("ana@example.org", shellWaits(clock)))
			started(t, clock, o, 0, s.channel(s.relay(row.scheme, row.login), clock))
			if d := o.next(t); d.State != agent.DeliverySent {
				t.Fatalf("%+v", d)
			}
			m := <-s.mails
			if !strings.HasPrefix(m.from, "FROM:<box@example.org>") || !strings.HasPrefix(m.to, "TO:<ana@example.org>") || m.secure != (row.scheme != "smtp+plain") {
				t.Errorf("%+v", m)
			}
			h, text, page := parts(t, m.data)
			for k, want := range map[string]string{
				"Subject": "run_shell waits", "To": "<ana@example.org>", "From": `"Fusebox" <box@example.org>`,
				"Message-ID": "<d1@example.org>", "References": "<approval.a1@example.org>", "Auto-Submitted": "auto-generated",
			} {
				if got := h.Get(k); got != want {
					t.Errorf("%s: %s, want %s", k, got, want)
				}
			}
			for _, want := range []string{
				"run_shell", "https://example.org/fusebox/approvals/a1",
			} {
				if !strings.Contains(text, want) || !strings.Contains(page, want) {
					t.Errorf("%q is missing in\n%s\n%s", want, text, page)
				}
			}
			if strings.Contains(page, "<b>") || !strings.Contains(text, "Clean <b>up</b>") {
				t.Errorf("the title is markup in\n%s", page)
			}
		})
	}
}

// TestNoTextBecomesAHeader: neither a tool's name nor a receiver.
func TestNoTextBecomesAHeader(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := newMailServer(t, mailHabits{})
	p := shellWaits(clock)
	p.ToolName, p.ConversationTitle = "x\r\nBcc: eve@example.org\r\n\r\nHello", "Überfluß\r\nBcc: eve@example.org"
	o := newOutbox(emailTo("ana@example.org", p))
	started(t, clock, o, 0, s.channel(s.relay("smtp+plain", ""), clock))
	o.next(t)
	h, _, _ := parts(t, (<-s.mails).data)
	if h.Get("Bcc") != "" || h.Get("Subject") != "x Bcc: eve@example.org Hello waits" {
		t.Errorf("header %v", h)
	}
	for _, to := range []string{"ana@example.org\r\nRCPT TO:<eve@example.org>", "Ana <ana@example.org>", "nobody", ""} {
		o := newOutbox(emailTo(to, shellWaits(clock)))
		started(t, clock, o, 0, s.channel(s.relay("smtp+plain", ""), clock))
		if d := o.next(t); d.State != agent.DeliveryDead {
			t.Errorf("to %q: %+v", to, d)
		}
	}
	if len(s.mails) > 0 {
		t.Error("a mail went out to what is no address")
	}
}

// TestMailServersThatRefuse: what passes is retried, what does not is dead,
// and no problem shows the password.
func TestMailServersThatRefuse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, scheme, login string
		with                mailHabits
		state               agent.DeliveryState
		problem             string
	}{
		{"nobody of this name", "smtp+plain", "", mailHabits{rcpt: "550 5.1.1 no such user"}, agent.DeliveryDead, "no such user"},
		{"greylisted", "smtp+plain", "", mailHabits{rcpt: "451 4.7.1 come back later"}, agent.DeliveryPending, "come back later"},
		{"taken for spam", "smtp+plain", "", mailHabits{data: "554 5.7.1 no"}, agent.DeliveryDead, "5.7.1 no"},
		{"full", "smtp+plain", "", mailHabits{data: "452 4.3.1 full"}, agent.DeliveryPending, "4.3.1 full"},
		{"wrong password", "smtp", "box:hunter22@", mailHabits{startTLS: true, user: "box", password: "other"}, agent.DeliveryPending, "5.7.8 wrong"},
		{"no encryption", "smtp", "box:hunter22@", mailHabits{user: "box", password: "hunter22"}, agent.DeliveryPending, "STARTTLS"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			clock := agenttest.NewClock()
			s := newMailServer(t, row.with)
			o := newOutbox(emailTo("ana@example.org", shellWaits(clock)))
			started(t, clock, o, 0, s.channel(s.relay(row.scheme, row.login), clock))
			d := o.next(t)
			if d.State != row.state || !strings.Contains(d.Problem, row.problem) {
				t.Errorf("%s: %q", d.State, d.Problem)
			}
			for _, secret := range []string{"hunter22", "AGJveABodW50ZXIyMg==", "aHVudGVyMjI="} {
				if strings.Contains(d.Problem, secret) {
					t.Errorf("the problem shows the password: %q", d.Problem)
				}
			}
			if len(s.mails) > 0 {
				t.Error("it was sent")
			}
		})
	}
}

// TestASilentMailServerHoldsNobodyUp: the end of the process ends the try.
func TestASilentMailServerHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := newMailServer(t, mailHabits{silent: true})
	o := newOutbox(emailTo("ana@example.org", shellWaits(clock)))
	const grace = 17 * time.Second
	_, stop := started(t, clock, o, grace, s.channel(s.relay("smtp+plain", ""), clock))
	agenttest.Eventually(t, "a try", func() bool {
		_, attempts := o.seen()
		return attempts > 0
	})
	go stop()
	clock.Outwait(t, grace)
	if d := o.next(t); d.State != agent.DeliveryPending {
		t.Errorf("%+v", d)
	}
}

// TestOneLine: nothing in a text starts a line, or turns the order of letters.
func TestOneLine(t *testing.T) {
	t.Parallel()
	if got := OneLine("a\u202eb\u2066c\u0085d\u2028e\r\nf"); got != "a b c d e f" {
		t.Errorf("what turns the order of letters is told as %q", got)
	}
}

func TestParseRelay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Relay{
		"smtp://u:p%40@mail.example.org":  {Host: "mail.example.org", Port: 587, User: "u", Password: "p@"},
		"smtps://u:p@mail.example.org":    {Host: "mail.example.org", Port: 465, User: "u", Password: "p", Implicit: true},
		"smtp+plain://localhost":          {Host: "localhost", Port: 25, Plain: true},
		"smtp://mail.example.org:2525/":   {Host: "mail.example.org", Port: 2525},
		"smtp+plain://u:p@localhost":      {},
		"http://mail.example.org":         {},
		"smtp://":                         {},
		"smtp://u:p@host:99999":           {},
		"smtp://u:p#ss@mail.example.org":  {},
		"smtp://mail.example.org?tls=off": {},
	} {
		got, err := ParseRelay(text)
		if (err != nil) != (want == Relay{}) || err == nil && got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "p#ss") {
			t.Errorf("%v shows the password", err)
		}
	}
}
