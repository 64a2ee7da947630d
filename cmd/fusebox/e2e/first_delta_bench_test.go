package e2e

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// reads opens the websocket of a conversation.
func (a api) reads(conversation string) *websocket.Conn {
	a.t.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(a.t.Context(),
		strings.Replace(a.url, "http", "ws", 1)+"/ws/conversations/"+conversation+"?after=0", http.Header{"Authorization": {"Bearer " + a.token}})
	if err != nil {
		a.t.Fatal(err)
	}
	_ = res.Body.Close()
	return conn
}

// waitFor reads a socket up to the first event of a type.
func waitFor(t testing.TB, conn *websocket.Conn, kind string) {
	t.Helper()
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(`"type":"`+kind+`"`)) {
			return
		}
	}
}

// BenchmarkFirstDelta is the time from the request with a message to the first
// piece of its answer on an open websocket: through HTTP, the real program,
// SQLite, and a model's server that answers at once. The time that a request
// straight to that server takes is told beside it.
func BenchmarkFirstDelta(b *testing.B) {
	_, url := startModel(b)
	p := startProgram(b, b.TempDir(), "OPENAI_BASE_URL="+url, "FUSEBOX_MODEL=scripted")
	ana := p.admin()
	var took, direct []time.Duration
	for b.Loop() {
		conversation := ana.must("POST", "/api/v1/conversations", "{}")["id"].(string)
		conn := ana.reads(conversation)
		sent := time.Now()
		go ana.call("POST", "/api/v1/conversations/"+conversation+"/messages", `{"content":"hi"}`)
		waitFor(b, conn, "text-delta")
		took = append(took, time.Since(sent))
		waitFor(b, conn, "finish")
		_ = conn.Close()

		sent = time.Now()
		api{t: b, url: url}.call("POST", "/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`)
		direct = append(direct, time.Since(sent))
	}
	slices.Sort(took)
	slices.Sort(direct)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-us")
	b.ReportMetric(float64(direct[len(direct)/2].Microseconds()), "direct-p50-us")
}
