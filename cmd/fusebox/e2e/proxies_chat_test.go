package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// behindProxy starts a server with a configuration of the manual.
func behindProxy(t *testing.T, settings string) *program {
	t.Helper()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "fusebox.toml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return startProgram(t, data)
}

// TestProxies: behind each proxy of the manual, configured as it says there, a person
// signs in, chats, and waits longer than the proxy does, on a socket and on a log.
func TestProxies(t *testing.T) {
	t.Parallel()
	for _, kind := range proxyKinds {
		t.Run(kind.program, func(t *testing.T) {
			needsProxy(t, kind.program)
			p := behindProxy(t, proxyBlock(t, "toml", "proxy.toml"))
			proxy := startProxy(t, kind, proxyBlock(t, kind.lang, ""), p.url)
			person := newOutsider(t, "https://fusebox.example.org", proxy, "127.0.0.2")
			person.signsIn()
			guesser := newOutsider(t, person.site, proxy, "127.0.0.3")
			guesser.guesses()
			person.opensNothingElse()
			person.chatsPatiently()
			person.hasAnAddress(p)
		})
	}
}

// signsIn also sees that the browser is told to insist on https.
func (o *outsider) signsIn() {
	o.t.Helper()
	res := o.signIn(adminEmail, adminPassword)
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Strict-Transport-Security") == "" {
		o.t.Fatalf("sign-in: %d %v", res.StatusCode, res.Header)
	}
	for _, c := range res.Cookies() {
		if scripts := c.Name == "fusebox_visit"; !c.Secure || c.HttpOnly == scripts { // it opens nothing
			o.t.Errorf("cookie %s is for http too", c.Name)
		}
	}
}

// guesses is slowed down, whatever address they claim to have.
func (o *outsider) guesses() {
	o.t.Helper()
	for i := range 7 {
		req := url.Values{"email": {"nobody@example.org"}, "password": {"wrong wrong"}}.Encode()
		res := o.do("POST", "/login", req, "Content-Type", formType, "X-Forwarded-For", "198.51.100.1")
		if slow := res.StatusCode == http.StatusTooManyRequests; slow != (i >= 5) {
			o.t.Errorf("guess %d: %d", i, res.StatusCode)
		}
	}
}

// opensNothingElse: what is for programs on the machine is not for who comes through
// the proxy, and what watches the server is answered.
func (o *outsider) opensNothingElse() {
	o.t.Helper()
	stranger := *o
	stranger.client = &http.Client{Transport: o.client.Transport}
	stranger.must(http.StatusUnauthorized, "GET", "/metrics", "")
	stranger.must(http.StatusNotFound, "GET", "/debug/pprof/", "")
	stranger.must(http.StatusOK, "HEAD", "/healthz", "")
	stranger.must(http.StatusOK, "GET", "/readyz", "")
	res := stranger.must(http.StatusOK, "GET", "/login", "")
	if body, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(body), "</html>") {
		o.t.Errorf("the login: %v, %.200s", err, body)
	}
}

// chatsPatiently begins a chat whose run waits for a decision, stays silent for longer
// than the proxy, and then decides: all that happens comes over connections that have
// stood the whole time.
func (o *outsider) chatsPatiently() {
	o.t.Helper()
	begun := o.must(http.StatusSeeOther, "POST", "/", url.Values{"content": {"test approval"}}.Encode(), "Content-Type", formType)
	id := path.Base(begun.Header.Get("Location"))
	log := bufio.NewReader(o.must(http.StatusOK, "GET", "/api/v1/conversations/"+id+"/events", "").Body)
	socket := o.socket("/ws/conversations/" + id)
	card := nextOf(o.t, "approval-requested", func() ([]byte, error) { return log.ReadBytes('\n') })
	for quiet := time.Now(); time.Since(quiet) < shortTimeout+2*time.Second; {
		if line, err := log.ReadBytes('\n'); err != nil {
			o.t.Fatalf("the log was cut after %v: %v", time.Since(quiet), err)
		} else if len(line) > 1 && strings.Contains(string(line), "decided") {
			o.t.Fatal("somebody else has decided")
		}
	}
	decision := fmt.Sprintf(`{"decision":"approve","argsHash":%q,"generation":%v}`, card["argsHash"], card["generation"])
	o.must(http.StatusOK, "POST", "/api/v1/approvals/"+card["approvalId"].(string)+"/decision", decision, "Content-Type", "application/json")
	nextOf(o.t, "finish", func() ([]byte, error) { return log.ReadBytes('\n') })
	nextOf(o.t, "finish", func() ([]byte, error) { _, raw, err := socket.ReadMessage(); return raw, err })
}

// socket opens a websocket as a page of the site does.
func (o *outsider) socket(path string) *websocket.Conn {
	o.t.Helper()
	u, err := url.Parse(o.site)
	if err != nil {
		o.t.Fatal(err)
	}
	dialer := websocket.Dialer{NetDialContext: o.dial, TLSClientConfig: o.tls}
	header := http.Header{"Origin": {u.Scheme + "://" + u.Host}, "Cookie": {o.cookies()}}
	conn, res, err := dialer.DialContext(o.t.Context(), strings.Replace(o.site, "http", "ws", 1)+path, header)
	if err != nil {
		o.t.Fatalf("socket %s: %v %v", path, err, res)
	}
	_ = res.Body.Close()
	o.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// nextOf reads events up to the first of a type; empty lines are signs of life.
func nextOf(t *testing.T, kind string, next func() ([]byte, error)) map[string]any {
	t.Helper()
	for {
		raw, err := next()
		if err != nil {
			t.Fatalf("waiting for %s: %v", kind, err)
		}
		if len(raw) <= 1 {
			continue
		}
		var event map[string]any
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if event["type"] == kind {
			return event
		}
	}
}

// hasAnAddress: the audit log names the person's own, and the guesser's, not the proxy's.
func (o *outsider) hasAnAddress(p *program) {
	o.t.Helper()
	_, raw := p.admin().call("GET", "/api/v1/audit?action=login", "")
	for _, place := range []string{`"session 127.0.0.2"`, `"session 127.0.0.3"`} {
		if !strings.Contains(string(raw), place) {
			o.t.Errorf("the audit log has no %s: %s", place, raw)
		}
	}
	if strings.Contains(string(raw), "198.51.100.1") {
		o.t.Errorf("a claimed address is believed: %s", raw)
	}
}
