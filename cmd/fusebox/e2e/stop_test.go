package e2e

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"fusebox/agent/agenttest"
)

// TestStopsInTime: asked to stop, the server ends within eight seconds, though a command
// is at work and somebody reads along: container runtimes kill after ten. Nothing is
// lost: the next process asks what became of the command.
func TestStopsInTime(t *testing.T) {
	agenttest.NeedsFull(t, "a server is given its grace in real time")
	t.Parallel()
	h := startInstance(t)
	run := h.asks(t, []asked{sh("echo x >> out; sleep 1000")})
	decides(h.rex, h.card(t, run), `{"decision":"approve"}`)
	agenttest.Eventually(t, "the effect", func() bool { return h.left(t, run, "out") != "" })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/v1/conversations/"+h.conversationOf[run]+"/events?follow=true", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+h.ana.token)
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()

	began := time.Now()
	must(t, h.cmd.Process.Signal(syscall.SIGTERM))
	err = h.cmd.Wait()
	took := time.Since(began)
	t.Logf("the server ended after %s", took.Round(100*time.Millisecond))
	if err != nil || took > 8*time.Second {
		t.Errorf("it took %s, %v", took, err)
	}
	h.restart(t)
	h.ana.rests(run)
	decides(h.rex, h.card(t, run), `{"decision":"answer","answer":"It wrote x."}`)
	if v := h.ana.rests(run); v["status"] != "finished" || h.left(t, run, "out") != "x\n" {
		t.Errorf("the run is %v and left %q", v["status"], h.left(t, run, "out"))
	}
}
