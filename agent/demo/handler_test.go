package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestBadRequestsGetErrorsInTheAPIsForm(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for name, row := range map[string]struct {
		path, body string
		status     int
		text       string
	}{
		"unknown route":    {"/v1/nothing", `{}`, 404, "Unknown request URL"},
		"broken JSON":      {"/v1/chat/completions", `{"model":`, 400, "parse the JSON"},
		"no model":         {"/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`, 400, "model"},
		"no messages":      {"/v1/chat/completions", `{"model":"demo","messages":[]}`, 400, "messages"},
		"unknown role":     {"/v1/chat/completions", `{"model":"demo","messages":[{"role":"boss","content":"hi"}]}`, 400, "role"},
		"result alone":     {"/v1/chat/completions", `{"model":"demo","messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`, 400, "must follow"},
		"call unanswered":  {"/v1/chat/completions", `{"model":"demo","messages":[` + call + `]}`, 400, "no tool messages"},
		"user in between":  {"/v1/chat/completions", `{"model":"demo","messages":[` + call + `,{"role":"user","content":"hi"}]}`, 400, "must be followed"},
		"content a number": {"/v1/chat/completions", `{"model":"demo","messages":[{"role":"user","content":7}]}`, 400, "content"},
		"too large":        {"/v1/chat/completions", `{"model":"` + strings.Repeat("a", maxBody) + `"}`, 413, "could not be read"},
	} {
		status, header, raw := c.post(row.path, []byte(row.body))
		var e struct {
			Error struct{ Message, Type string } `json:"error"`
		}
		if err := json.Unmarshal(raw, &e); err != nil || status != row.status || e.Error.Type == "" ||
			!strings.Contains(e.Error.Message, row.text) || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: status %d, %v: %s", name, status, err, raw)
		}
	}
}

func TestModelsListsTheOneModel(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	res, err := http.Get(c.url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, _ := io.ReadAll(res.Body)
	if !bytes.Contains(raw, []byte(`"id":"demo"`)) {
		t.Errorf("models: %s", raw)
	}
}

func TestContentMayBeAListOfParts(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	_, _, raw := c.post("/v1/chat/completions", []byte(
		`{"model":"demo","messages":[{"role":"user","content":[{"type":"text","text":"who are "},{"type":"text","text":"you?"}]}]}`))
	if s := readWhole(t, raw); !strings.Contains(s.Content, "demo model") {
		t.Errorf("answer %q", s.Content)
	}
}

func TestMaxTokensCutsTheAnswer(t *testing.T) {
	t.Parallel()
	c := newClient(t, false)
	_, _, raw := c.post("/v1/chat/completions", []byte(
		`{"model":"demo","max_tokens":5,"messages":[{"role":"user","content":"test markdown"}]}`))
	if s := readWhole(t, raw); s.Finish != "length" || s.Usage.CompletionTokens > 5 || s.Content == "" {
		t.Errorf("answer %+v", s)
	}
}

func TestStreamComesInPieces(t *testing.T) {
	t.Parallel()
	c := newClient(t, true)
	if s := c.ask("who are you?"); s.Chunks < 10 {
		t.Errorf("%d chunks for %q", s.Chunks, s.Content)
	}
}

func TestListenServesUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Listen(ctx, "127.0.0.1:0", Options{Delay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(s.BaseURL() + "/models")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if _, err := Listen(ctx, strings.TrimSuffix(strings.TrimPrefix(s.BaseURL(), "http://"), "/v1"), Options{}); err == nil {
		t.Error("the same port was taken twice")
	}
	cancel()
	if err := s.Wait(); err != nil {
		t.Errorf("Wait = %v", err)
	}
}
