package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

func errorBody(message string) string {
	return `{"error":{"message":"` + message + `","type":"x","code":null}}`
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func TestWhatIsTriedAgain(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		fail   http.HandlerFunc
		status int
		text   string // in the retry's message
	}{
		"a hang-up":             {hangUp, 0, "could not be reached"},
		"no body":               {raw(""), 0, "empty answer"},
		"white space":           {raw("\n\n \n"), 0, "empty answer"},
		"comments only":         {raw(": hi\n\n: hi\n\n"), 0, "cut the answer off"},
		"end mark only":         {raw(streamtest.SSE(streamtest.Done)), 0, "empty answer"},
		"stop and nothing":      {raw(streamtest.SSE(streamtest.Delta(`"content":""`), streamtest.Finish("stop"), streamtest.Done)), 0, "empty answer"},
		"calls, but none":       {raw(streamtest.SSE(streamtest.Finish("tool_calls"), streamtest.Done)), 0, "empty answer"},
		"a call without a name": {raw(streamtest.SSE(streamtest.ToolCall(`"index":0,"function":{"arguments":"{}"}`), streamtest.Finish("tool_calls"), streamtest.Done)), 0, "empty answer"},
		"a cut":                 {raw(streamtest.SSE(streamtest.Delta(`"content":"a"`))), 0, "cut the answer off"},
		"a web page":            {raw("<html><body>gateway</body></html>"), 0, "web page"},
		"half a JSON":           {raw(`{"choices":[{"mess`), 0, "not an answer"},
		"no JSON":               {raw("data: oops\n\n"), 0, "not an answer"},
		"error in 200":          {raw(errorBody("engine down")), 0, "engine down"},
		"an error text in 200":  {raw(`{"error":"engine down"}`), 0, "engine down"},
		"a coded error in 200":  {raw(`{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`), 429, "slow down"},
		"a listed error in 200": {raw(`[{"error":{"message":"full","code":503}}]`), 503, "full"},
		"error in the stream":   {raw(streamtest.SSE(streamtest.Delta(`"content":"a"`), `{"error":{"message":"upstream","code":502},"choices":[{"delta":{},"finish_reason":"error"}]}`)), 502, "upstream"},
		"error event":           {raw("event: error\ndata: {\"error\":\"overloaded\"}\n\n"), 0, "overloaded"},
		"finish reason error":   {raw(streamtest.SSE(streamtest.Delta(`"content":"a"`), streamtest.Finish("error"), streamtest.Done)), 0, "reported an error"},
		"vendor's plain error":  {status(503, `{"detail":"no capacity"}`), 503, "no capacity"},
		"429 that says quota":   {status(429, errorBody("Quota exceeded for requests per minute")), 429, "Quota exceeded"},
		"429 that says when":    {status(429, errorBody("You exceeded your current quota, please check your plan and billing details. Please retry in 18.2s.")), 429, "retry in"},
		"429 of a balancer":     {status(429, errorBody("The load balancer has exhausted its upstreams")), 429, "balancer"},
		"500 about credit":      {status(500, errorBody("insufficient credits service down")), 500, "service down"},
	}
	for _, code := range []int{408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529} {
		rows[fmt.Sprint(code)] = struct {
			fail   http.HandlerFunc
			status int
			text   string
		}{status(code, errorBody("later, please")), code, "later, please"}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, row.fail, raw(streamtest.Good))
			p, clk := newProvider(t, srv.URL)
			w := &watcher{clk: clk}
			got, err := complete(t, p, w)
			if err != nil || got.Content != "Good." || w.assembled().Content != "Good." {
				t.Fatalf("%q, %v", got.Content, err)
			}
			r := w.retries()
			if len(r) != 1 || r[0].Status != row.status || !strings.Contains(r[0].Message, row.text) {
				t.Fatalf("retries %+v, want status %d and %q", r, row.status, row.text)
			}
			if diff := cmp.Diff(agent.RetryEvent{Attempt: 1, MaxAttempts: 10, DelayMS: 500, Status: row.status, Message: r[0].Message}, r[0]); diff != "" {
				t.Error(diff)
			}
			requests := srv.requests()
			if len(requests) != 2 || requests[0] != requests[1] {
				t.Errorf("requests %q", requests)
			}
		})
	}
}

// spentTexts are errors that only their wording marks as out of credit.
var spentTexts = []string{
	"You exceeded your current quota, please check your plan and billing details.",
	"insufficient_quota: the project has none",
	"Your credit balance is too low to access the API.",
	"Insufficient Balance",
	"Insufficient credits. Add more at our site.",
	"Your team has either used all available credits or reached its monthly spending limit.",
	"You have exceeded your monthly included credits for inference.",
	"Your prepayment credits are depleted.",
	"Sorry, your account balance is insufficient",
	"The request failed because your account has an overdue balance.",
	"Billing hard limit has been reached",
	"Payment Required",
	"账户余额不足,请充值后重试",
	"您的账户已欠费",
}

func TestWhatIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		fail   http.HandlerFunc
		status int
		text   string
	}{
		"no credit":         {status(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), 429, "no credit left"},
		"hard limit":        {status(429, `{"error":{"message":"stop","type":"billing_hard_limit_reached"}}`), 429, "no credit left"},
		"balance":           {status(429, `{"error":{"message":"stop","code":"credit_balance_too_low"}}`), 429, "no credit left"},
		"refused in 200":    {raw(`{"error":{"message":"bad tool","type":"invalid_request_error"}}`), 400, "bad tool"},
		"refused in stream": {raw("event: error\ndata: {\"error\":{\"message\":\"no tool\",\"code\":\"tool_use_failed\",\"status_code\":400}}\n\n"), 400, "no tool"},
	}
	for _, code := range []int{400, 401, 402, 403, 404, 405, 409, 413, 422, 501} {
		rows[fmt.Sprint(code)] = struct {
			fail   http.HandlerFunc
			status int
			text   string
		}{status(code, `{"error":"not like this"}`), code, "not like this"}
	}
	for _, text := range spentTexts {
		rows[text] = struct {
			fail   http.HandlerFunc
			status int
			text   string
		}{status(429, errorBody(text)), 429, "no credit left"}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, row.fail)
			p, clk := newProvider(t, srv.URL)
			w := &watcher{clk: clk}
			_, err := complete(t, p, w)
			var failed *agent.ProviderError
			if !errors.As(err, &failed) {
				t.Fatalf("err = %v", err)
			}
			if failed.Status != row.status || failed.Retryable || failed.Attempts != 1 || !strings.Contains(failed.Message, row.text) {
				t.Errorf("%+v", failed)
			}
			if len(w.retries()) != 0 || len(srv.requests()) != 1 {
				t.Errorf("%d retries, %d requests", len(w.retries()), len(srv.requests()))
			}
		})
	}
}

func TestNamesAndCertificatesAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	notFound := func(c *Config) {
		c.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
		}}}
	}
	for name, p := range map[string]*Provider{
		"certificate": func() *Provider { p, _ := newProvider(t, tls.URL); return p }(),
		"name":        func() *Provider { p, _ := newProvider(t, "http://nowhere.invalid", notFound); return p }(),
	} {
		_, err := complete(t, p, &watcher{})
		var failed *agent.ProviderError
		if !errors.As(err, &failed) || failed.Attempts != 1 || failed.Retryable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWaitsDoubleUpToTheCap(t *testing.T) {
	t.Parallel()
	srv := serve(t, status(500, ""))
	p, clk := newProvider(t, srv.URL, func(c *Config) { c.Retry = RetryConfig{Max: 8, Base: 500 * time.Millisecond, Cap: 30 * time.Second} })
	w := &watcher{clk: clk}
	_, err := complete(t, p, w)
	var got []int64
	for _, r := range w.retries() {
		got = append(got, r.DelayMS)
	}
	if diff := cmp.Diff([]int64{500, 1000, 2000, 4000, 8000, 16000, 30000, 30000}, got); diff != "" {
		t.Errorf("waits:\n%s", diff)
	}
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || failed.Attempts != 9 || !failed.Retryable || !strings.Contains(failed.Message, "Gave up after 9 attempts") {
		t.Errorf("err = %v", err)
	}
}

func TestWaitHasJitterAndAFloor(t *testing.T) {
	t.Parallel()
	c := RetryConfig{}.withDefaults()
	for _, row := range []struct {
		n      int
		asked  time.Duration
		random float64
		want   time.Duration
	}{
		{1, 0, 0, 375 * time.Millisecond},
		{1, 0, 0.5, 500 * time.Millisecond},
		{1, 0, 1, 625 * time.Millisecond},
		{3, 0, 0.5, 2 * time.Second},
		{40, 0, 0.5, 30 * time.Second},
		{1000, 0, 0, 22500 * time.Millisecond},
		{1, 7 * time.Second, 0, 7 * time.Second},
		{6, time.Second, 0.5, 16 * time.Second},
	} {
		if got := c.wait(row.n, row.asked, row.random); got != row.want {
			t.Errorf("wait(%d, %v, %v) = %v, want %v", row.n, row.asked, row.random, got, row.want)
		}
	}
}

func TestRetryAfterIsRespectedUpToTwoMinutes(t *testing.T) {
	t.Parallel()
	srv := serve(t, status(429, errorBody("wait"), "Retry-After: 7"), raw(streamtest.Good))
	p, clk := newProvider(t, srv.URL)
	w := &watcher{clk: clk}
	if _, err := complete(t, p, w); err != nil || w.retries()[0].DelayMS != 7000 {
		t.Errorf("%v, %+v", err, w.retries())
	}
	srv = serve(t, status(429, errorBody("wait"), "Retry-After: 600"))
	p, _ = newProvider(t, srv.URL)
	w = &watcher{}
	_, err := complete(t, p, w)
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || !failed.Retryable || len(w.retries()) != 0 || !strings.Contains(failed.Message, "2026-03-02 09:10:00 UTC") {
		t.Errorf("err = %v", err)
	}
}
