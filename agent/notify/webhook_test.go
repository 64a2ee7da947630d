package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/safehttp"
)

const (
	webhookSecret = "a secret of the receiver"
	hookPath      = "/hooks/T0KEN-IN-THE-PATH"
)

// got is one request that a receiver had.
type got struct {
	path   string
	header http.Header
	body   []byte
}

// receiver is a webhook's receiver that answers as it is told, one answer after
// the other, the last one for ever.
func receiver(t *testing.T, answers ...func(http.ResponseWriter)) (url string, requests chan got) {
	t.Helper()
	requests = make(chan got, 100)
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		requests <- got{r.URL.Path, r.Header.Clone(), raw}
		answers[min(int(n.Add(1)), len(answers))-1](w)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + hookPath, requests
}

func status200(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) }

func answer(code int, text string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// hook makes the channel as the program does: its client may reach the
// configured address.
func hook(t *testing.T, url, allowed string, clock agent.Clock) *Webhook {
	t.Helper()
	origin, err := safehttp.Origin(allowed)
	if err != nil {
		t.Fatal(err)
	}
	return NewWebhook(WebhookOptions{
		URL: url, Secret: webhookSecret, PublicURL: "https://example.org/fusebox", Clock: clock,
		Client: safehttp.New(safehttp.Options{Allow: []string{origin}, Timeout: 10 * time.Second}),
	})
}

func asked(id string) agent.Delivery {
	payload, _ := json.Marshal(agent.NotifyPayload{
		Event: agent.NotifyRequested, ApprovalID: "a1", Kind: agent.KindTool, Risk: agent.RiskHigh, ToolName: "run_shell",
		Message: "It can run any program.", Path: "/approvals/a1",
	})
	return agent.Delivery{ID: id, Event: agent.NotifyRequested, ApprovalID: "a1", Channel: agent.ChannelWebhook, Payload: payload}
}

// verify checks a signature the way docs/notifications.md tells receivers to.
func verify(t *testing.T, g got, now time.Time) {
	t.Helper()
	stamp, sum, ok := strings.Cut(g.header.Get("Fusebox-Signature"), ",")
	stamp, _ = strings.CutPrefix(stamp, "t=")
	sum, isV1 := strings.CutPrefix(sum, "v1=")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if !ok || !isV1 || err != nil {
		t.Fatalf("signature %q", g.header.Get("Fusebox-Signature"))
	}
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	mac.Write([]byte(stamp + "." + string(g.body)))
	if want := hex.EncodeToString(mac.Sum(nil)); sum != want {
		t.Errorf("signature %s, want %s", sum, want)
	}
	if age := now.Sub(time.Unix(at, 0)).Abs(); age > 5*time.Minute {
		t.Errorf("signed %s ago", age)
	}
}

// TestWebhookIsSignedAndTriedUntilItIsTaken: two failures, then success; each try
// has the same key, a signature of its own time, and the same words.
func TestWebhookIsSignedAndTriedUntilItIsTaken(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	url, requests := receiver(t, answer(500, "down"), answer(503, "wait", "Retry-After", "300"), status200)
	o := newOutbox(asked("d1"))
	w, _ := started(t, clock, o, 0, hook(t, url, url, clock))
	var first got
	for i, wait := range []time.Duration{30 * time.Second, 5 * time.Minute, 0} {
		g := <-requests
		verify(t, g, clock.Now())
		if g.header.Get("Fusebox-Delivery") != "d1" || g.header.Get("Fusebox-Event") != "approval.requested" || g.path != hookPath {
			t.Errorf("try %d: %+v", i+1, g)
		}
		if i == 0 {
			first = g
		} else if string(g.body) != string(first.body) {
			t.Errorf("try %d says %s\nthe first said %s", i+1, g.body, first.body)
		}
		d := o.next(t)
		if wait == 0 {
			if d.State != agent.DeliverySent || d.Attempts != 3 || d.Problem != "" || !d.SentAt.Equal(clock.Now()) {
				t.Errorf("in the end %+v", d)
			}
			break
		}
		if got := d.NextAt.Sub(clock.Now()); got != wait {
			t.Errorf("after try %d: tried again in %s, want %s", i+1, got, wait)
		}
		clock.Advance(wait)
		w.Wake()
	}
	var said map[string]any
	if err := json.Unmarshal(first.body, &said); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]string{
		"deliveryId": "d1", "url": "https://example.org/fusebox/approvals/a1", "toolName": "run_shell", "risk": "high", "event": "approval.requested",
	} {
		if said[k] != want {
			t.Errorf("%s = %v, want %s", k, said[k], want)
		}
	}
	clock.Advance(24 * time.Hour)
	o.looksInVain(t, w)
}

// TestAnswers: what becomes of a delivery by what the receiver answers.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		answer  func(http.ResponseWriter)
		state   agent.DeliveryState
		wait    time.Duration
		problem string
	}{
		{"gone", answer(410, ""), agent.DeliveryDead, 0, "The receiver answered 410 Gone"},
		{"not allowed", answer(403, "no\x1b[31m way\r\nX: y"), agent.DeliveryPending, 30 * time.Second, "The receiver answered 403 Forbidden: no [31m way X: y"},
		{"an echo", answer(400, "bad "+webhookSecret+" at "+hookPath), agent.DeliveryPending, 30 * time.Second, "The receiver answered 400 Bad Request: bad [secret] at [secret]"},
		{"much text", answer(500, strings.Repeat("é", 5000)), agent.DeliveryPending, 30 * time.Second, "The receiver answered 500 Internal Server Error: " + strings.Repeat("é", maxText) + "…"},
		{"a short Retry-After", answer(429, "", "Retry-After", "1"), agent.DeliveryPending, 30 * time.Second, "The receiver answered 429 Too Many Requests"},
		{"a long Retry-After", answer(429, "", "Retry-After", "86400"), agent.DeliveryPending, time.Hour, "The receiver answered 429 Too Many Requests"},
		{"a date to retry after", answer(503, "", "Retry-After", "Mon, 02 Mar 2026 09:20:00 GMT"), agent.DeliveryPending, 20 * time.Minute, "The receiver answered 503 Service Unavailable"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			clock := agenttest.NewClock()
			url, _ := receiver(t, row.answer)
			o := newOutbox(asked("d"))
			started(t, clock, o, 0, hook(t, url, url, clock))
			d := o.next(t)
			if d.State != row.state || d.Problem != row.problem {
				t.Errorf("%s: %q\nwant %s: %q", d.State, d.Problem, row.state, row.problem)
			}
			if row.state == agent.DeliveryPending && d.NextAt.Sub(clock.Now()) != row.wait {
				t.Errorf("again in %s, want %s", d.NextAt.Sub(clock.Now()), row.wait)
			}
		})
	}
}

// TestNoRedirectIsFollowed: not even to an address that could be reached.
func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	url, requests := receiver(t, answer(307, "", "Location", "/elsewhere"))
	o := newOutbox(asked("d"))
	started(t, clock, o, 0, hook(t, url, url, clock))
	d := o.next(t)
	if d.State != agent.DeliveryPending || d.Problem != "The receiver answered 307 Temporary Redirect; redirects are not followed." {
		t.Errorf("%+v", d)
	}
	if g := <-requests; g.path != hookPath || len(requests) > 0 {
		t.Errorf("%s was asked, then %d more", g.path, len(requests))
	}
}

// TestAPrivateAddressThatNobodyConfiguredIsRefused: and the problem does not
// show the address's path.
func TestAPrivateAddressThatNobodyConfiguredIsRefused(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	url, requests := receiver(t, status200)
	o := newOutbox(asked("d"))
	started(t, clock, o, 0, hook(t, url, "https://hooks.example.org", clock))
	d := o.next(t)
	if d.State != agent.DeliveryPending || !strings.Contains(d.Problem, "not public") || strings.Contains(d.Problem, "T0KEN") {
		t.Errorf("%+v", d)
	}
	if len(requests) > 0 {
		t.Error("it was reached")
	}
}

// TestACrashBeforeItIsWrittenDownRepeatsIt: the receiver has it twice, with one key.
func TestACrashBeforeItIsWrittenDownRepeatsIt(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	url, requests := receiver(t, status200)
	o := newOutbox(asked("d1"))
	o.breaks(true)
	_, stop := started(t, clock, o, 0, hook(t, url, url, clock))
	first := <-requests
	o.next(t)
	stop()
	o.breaks(false)
	clock.Advance(claimFor)
	started(t, clock, o, 0, hook(t, url, url, clock))
	second := <-requests
	if a, b := first.header.Get(HeaderDelivery), second.header.Get(HeaderDelivery); a != "d1" || b != "d1" {
		t.Errorf("keys %s and %s", a, b)
	}
	if d := o.next(t); d.State != agent.DeliverySent || d.Attempts != 2 {
		t.Errorf("%+v", d)
	}
}
