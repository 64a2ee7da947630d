package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/textproto"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// letter is one e-mail that a mailbox has taken.
type letter struct{ to, data string }

// mailbox is a mail server without encryption.
func mailbox(t *testing.T) (address string, mails chan letter) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mails = make(chan letter, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go receiveMail(conn, mails)
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String(), mails
}

// receiveMail says yes to everything.
func receiveMail(conn net.Conn, mails chan letter) {
	defer func() { _ = conn.Close() }()
	c := textproto.NewConn(conn)
	_ = c.PrintfLine("220 mail.example.org")
	for to := ""; ; {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "RCPT":
			to = strings.TrimSuffix(strings.TrimPrefix(rest, "TO:<"), ">")
		case "DATA":
			_ = c.PrintfLine("354 go on")
			data, err := c.ReadDotBytes()
			if err != nil {
				return
			}
			mails <- letter{to, string(data)}
		}
		_ = c.PrintfLine("250 fine")
	}
}

// notifyingInstance is an instance with both channels and an admin who wants no e-mails.
func notifyingInstance(t *testing.T) (h *instance, requests chan hooked, mails chan letter) {
	t.Helper()
	url, requests := hookReceiver(t)
	address, mails := mailbox(t)
	h = startInstance(t, "FUSEBOX_NOTIFY_WEBHOOK_URL="+url, "FUSEBOX_NOTIFY_WEBHOOK_SECRET="+hookSecret,
		"FUSEBOX_NOTIFY_SMTP_URL=smtp+plain://"+address, "FUSEBOX_NOTIFY_FROM=box@example.org")
	addUser(t, h.data, "mute@example.org", "admin")
	db := h.open(t)
	u, _, err := db.UserByEmail(t.Context(), "mute@example.org")
	if err == nil {
		err = db.SetNotify(t.Context(), u.ID, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h, requests, mails
}

// open is the instance's database, beside its process.
func (h *instance) open(t *testing.T) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{
		Path: filepath.Join(h.data, "fusebox.db"), Clock: agent.SystemClock{}, NewID: rand.Text, Channels: store.Channels{Webhook: true, Email: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// told waits for n requests of the webhook and returns what they are about, sorted.
func told(t *testing.T, requests chan hooked, n int) []string {
	t.Helper()
	var all []string
	for range n {
		r := agenttest.Receive(t, fmt.Sprintf("more than %q", all), requests)
		var body struct{ Event, Message string }
		if err := json.Unmarshal(r.body, &body); err != nil {
			t.Fatal(err)
		}
		all = append(all, body.Event+": "+body.Message)
	}
	slices.Sort(all)
	return all
}

// TestBudgetAlertsReachPeople: an alert sent at the moment of a crash is
// delivered by the next process, once, to those whom it is for.
func TestBudgetAlertsReachPeople(t *testing.T) {
	t.Parallel()
	h, requests, mails := notifyingInstance(t)
	db := h.open(t)
	ana, _, err := db.UserByEmail(t.Context(), "ana@example.org")
	if err != nil {
		t.Fatal(err)
	}
	h.kill()
	for range 2 {
		for _, s := range []agent.BudgetStatus{
			{Budget: agent.Budget{ID: "b1", Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitMicros: 10_000_000}, UsedMicros: 8_010_000},
			{Budget: agent.Budget{ID: "b2", Who: agent.WhoUser, Span: agent.SpanDay, LimitTokens: 1000}, Of: ana.ID, UsedTokens: 812},
		} {
			if err := db.RaiseAlert(t.Context(), agent.NewBudgetAlert(s, agent.BudgetWarnAt, "ana@example.org", time.Now())); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.restart(t)
	want := []string{
		"budget.warning: 80% of the budget of everybody for this month is used: $8.01 of $10.00.",
		"budget.warning: 81% of the budget of ana@example.org for today is used: 812 of 1k tokens.",
	}
	if got := told(t, requests, 2); !slices.Equal(got, want) {
		t.Errorf("told %q", got)
	}
	to := []string{(<-mails).to, (<-mails).to}
	slices.Sort(to)
	if !slices.Equal(to, []string{adminEmail, "ana@example.org"}) {
		t.Errorf("mails to %q", to)
	}
	agenttest.Eventually(t, "all to be written down", func() bool {
		return len(h.admin().must("GET", "/api/v1/notifications?state=sent", "")["items"].([]any)) == 4
	})
	h.restart(t)
	for who, sees := range map[*api]int{&h.ana: 1, &h.rex: 0} {
		if items := who.must("GET", "/api/v1/alerts", "")["items"].([]any); len(items) != sees {
			t.Errorf("%d alerts, want %d", len(items), sees)
		}
	}
	if all := h.admin().must("GET", "/api/v1/notifications", "")["items"].([]any); len(all) != 4 || len(requests)+len(mails) > 0 {
		t.Errorf("%d deliveries, %d more requests and %d more mails", len(all), len(requests), len(mails))
	}
}

// spends writes a bill: so many hours in which as much was spent, and this one.
func spends(t *testing.T, db *store.Store, hours int, each, now int64) {
	t.Helper()
	ana, _, err := db.UserByEmail(t.Context(), "ana@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.CreateConversation(t.Context(), agent.Conversation{ID: "c", OwnerID: ana.ID, ApprovalMode: agent.ModeDefault}); err != nil {
		t.Fatal(err)
	}
	p := agent.NewMessage{ConversationID: "c", UserID: ana.ID, MessageID: "m", RunID: "r", Content: "q", Model: "scripted"}
	if _, err := db.Enqueue(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	run, err := db.Claim(t.Context(), "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	at, end := time.Now(), *run
	end.Status, end.EndedAt = agent.StatusFinished, at
	entry := agent.Change{ConversationID: "c", RunID: "r", Epoch: run.Epoch, Run: &end}
	for n := range hours + 1 {
		micros := each
		if n == 0 {
			micros = now
		}
		entry.Steps = append(entry.Steps, agent.Step{
			RunID: "r", N: n + 1, ConversationID: "c", UserID: ana.ID, Model: "scripted", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 1}},
			CostMicros: micros, StartedAt: at, EndedAt: at.Add(-time.Duration(n) * time.Hour),
		})
	}
	if _, err := db.Append(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
}

// TestASurgeIsTold: when the program starts, what was spent in this hour is held
// against the week; admins are told once, over restarts too.
func TestASurgeIsTold(t *testing.T) {
	t.Parallel()
	h, requests, mails := notifyingInstance(t)
	db := h.open(t)
	h.kill()
	spends(t, db, 30, 1_000_000, 9_500_000)
	h.restart(t)
	got := told(t, requests, 1)[0]
	if !strings.HasPrefix(got, "spend.surge: $9.50 was spent in the hour from ") || !strings.HasSuffix(got, "9.5 times the usual $1.00.") {
		t.Errorf("told %q", got)
	}
	if m := <-mails; m.to != adminEmail || !strings.Contains(m.data, "Subject: [Fusebox] Spending is far above usual") {
		t.Errorf("mail to %s: %s", m.to, m.data)
	}
	h.restart(t)
	admin := h.admin()
	if items := admin.must("GET", "/api/v1/alerts", "")["items"].([]any); len(items) != 1 {
		t.Errorf("%d alerts", len(items))
	}
	admin.must("POST", "/api/v1/notifications/test", `{"channel":"webhook"}`)
	if got := told(t, requests, 1)[0]; !strings.HasPrefix(got, "test: ") || len(mails) > 0 {
		t.Errorf("told again: %q, %d mails", got, len(mails))
	}
}
