package e2e

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/notify"
	"fusebox/store"
	"fusebox/store/storetest"
)

const hookSecret = "the receiver's own secret"

// hooked is one request of a webhook.
type hooked struct {
	header http.Header
	body   []byte
}

// hookReceiver is a webhook's receiver.
func hookReceiver(t *testing.T) (url string, requests chan hooked) {
	t.Helper()
	requests = make(chan hooked, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		requests <- hooked{r.Header.Clone(), raw}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, requests
}

// TestWebhookAnnouncesAPausedRun: the receiver gets a signed request that leads to
// the card's page and shows nothing of the command; the decision is told too.
// The page of deliveries says that both were sent, and shows no secret.
func TestWebhookAnnouncesAPausedRun(t *testing.T) {
	t.Parallel()
	url, requests := hookReceiver(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(),
		"FUSEBOX_NOTIFY_WEBHOOK_URL="+url+"/hooks/SECRET-PATH", "FUSEBOX_NOTIFY_WEBHOOK_SECRET="+hookSecret)...)
	a := p.admin()
	_, run := a.ask("test approval")
	first := <-requests
	stamp, sum, _ := strings.Cut(strings.TrimPrefix(first.header.Get("Fusebox-Signature"), "t="), ",v1=")
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write([]byte(stamp + "." + string(first.body)))
	if hex.EncodeToString(mac.Sum(nil)) != sum {
		t.Errorf("signature %q", first.header.Get("Fusebox-Signature"))
	}
	var told struct{ Event, ApprovalID, ToolName, URL, DeliveryID string }
	if err := json.Unmarshal(first.body, &told); err != nil {
		t.Fatal(err)
	}
	if told.Event != "approval.requested" || told.ToolName != "run_shell" || told.URL != p.url+"/approvals/"+told.ApprovalID ||
		told.DeliveryID == "" || told.DeliveryID != first.header.Get("Fusebox-Delivery") {
		t.Errorf("told %s", first.body)
	}
	if strings.Contains(string(first.body), "cleanup.log") {
		t.Errorf("the command is told: %s", first.body)
	}
	a.rests(run)
	if status, raw := a.call("GET", strings.TrimPrefix(told.URL, p.url), ""); status != http.StatusOK || len(raw) == 0 {
		t.Errorf("the link leads to %d", status)
	}
	a.decide(run, `{"decision":"reject","comment":"no"}`)
	second := <-requests
	if !strings.Contains(string(second.body), `"approval.decided"`) || second.header.Get("Fusebox-Delivery") == told.DeliveryID {
		t.Errorf("told of the decision: %s", second.body)
	}
	agenttest.Eventually(t, "both to be written down", func() bool {
		items := a.must("GET", "/api/v1/notifications?state=sent", "")["items"].([]any)
		return len(items) == 2
	})
	for _, path := range []string{"/admin/notifications", "/api/v1/notifications"} {
		if _, raw := a.call("GET", path, ""); strings.Contains(string(raw), hookSecret) || strings.Contains(string(raw), "SECRET-PATH") {
			t.Errorf("%s shows a secret", path)
		}
	}
	if log := p.log.String(); strings.Contains(log, hookSecret) || strings.Contains(log, "SECRET-PATH") {
		t.Errorf("the log shows a secret: %s", log)
	}
}

// dies is an outbox whose process is gone before it can write down what it did.
type dies struct {
	*store.Store
	gone chan struct{}
}

func (d dies) FinishDelivery(context.Context, agent.Delivery) error {
	close(d.gone)
	return errors.New("killed")
}

// TestToldAgainAfterACrash: between the request and the row that says so lies a
// crash; the next process sends it again, with the same key, and then no more.
func TestToldAgainAfterACrash(t *testing.T) {
	t.Parallel()
	clock, log := agenttest.NewClock(), slog.New(slog.DiscardHandler)
	db, err := store.Open(t.Context(), store.Options{
		Path: storetest.Migrated(t, filepath.Join(t.TempDir(), "f.db")), Clock: clock, NewID: rand.Text, Channels: store.Channels{Webhook: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	id, err := db.PostTest(t.Context(), adminEmail, agent.ChannelWebhook)
	if err != nil {
		t.Fatal(err)
	}
	url, requests := hookReceiver(t)
	process := func(o notify.Outbox) (stop func()) {
		w := notify.New(clock, log, notify.NewWebhook(notify.WebhookOptions{URL: url, Secret: hookSecret, Client: http.DefaultClient, Clock: clock}))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.Run(ctx, o, 0)
		}()
		return func() { cancel(); <-done }
	}
	first := dies{db, make(chan struct{})}
	stop := process(first)
	<-first.gone
	stop()
	clock.Advance(time.Minute) // the claim is over
	stop = process(db)
	for i := range 2 {
		if got := (<-requests).header.Get("Fusebox-Delivery"); got != id {
			t.Errorf("request %d has the key %s, want %s", i+1, got, id)
		}
	}
	agenttest.Eventually(t, "it to be written down", func() bool {
		rows, _, err := db.Deliveries(t.Context(), agent.DeliveryFilter{State: agent.DeliverySent}, agent.Page{})
		return err == nil && len(rows) == 1 && rows[0].Attempts == 2
	})
	stop()
	if len(requests) > 0 {
		t.Error("it was sent once more")
	}
}
