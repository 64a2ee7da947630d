package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"fusebox/agent/agenttest"
)

// titling is an endpoint with two models: main answers once it may, small names chats. A
// nil answer of small waits until its client has gone.
type titling struct {
	mu     sync.Mutex
	asked  []map[string]any // of small
	answer func(message string) (status int, body map[string]any)
	may    chan struct{}
}

func (s *titling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"data":[{"id":"main"},{"id":"small"}]}`)
		return
	}
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	status, message, reason := http.StatusOK, map[string]any{"role": "assistant", "content": "Here you are."}, "stop"
	if body["model"] == "small" {
		s.mu.Lock()
		s.asked = append(s.asked, body)
		s.mu.Unlock()
		messages := body["messages"].([]any)
		status, message = s.answer(messages[len(messages)-1].(map[string]any)["content"].(string))
		if message == nil && status == http.StatusOK {
			<-r.Context().Done()
			return
		}
		if message["content"] == "" {
			reason = "length"
		}
	} else {
		<-s.may
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(status)
	raw, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": message, "finish_reason": reason}}, "usage": map[string]int{"prompt_tokens": 90, "completion_tokens": 7}})
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", raw)
}

func (s *titling) requests() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func said(text string) (int, map[string]any) {
	return http.StatusOK, map[string]any{"role": "assistant", "content": text}
}

// startTitling starts a server whose chats are named by small.
func startTitling(t *testing.T, answer func(string) (int, map[string]any), env ...string) (*titling, *program, api) {
	t.Helper()
	model := &titling{answer: answer, may: make(chan struct{})}
	srv := httptest.NewServer(model)
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append([]string{"OPENAI_BASE_URL=" + srv.URL + "/v1", "FUSEBOX_MODEL=main", "FUSEBOX_TITLES_MODEL=small", "FUSEBOX_RETRY_BASE=1ms"}, env...)...)
	return model, p, p.admin()
}

// TestTitles: a chat is named once, by a small model, while it is answered, and keeps the
// first words of its message where the model brings none.
func TestTitles(t *testing.T) {
	t.Parallel()
	type row struct {
		message, content, reasoning string
		status                      int
		title                       string
	}
	rows := []row{
		{"请帮我比较三种电池的寿命和价格\n" + strings.Repeat("锂电池、钠电池和铅酸电池的数据如下。", 2200), "三种电池的比较", "", 200, "三种电池的比较"},
		{"Plan a week in Rome\nwith two children", "", "The user wants a plan for a week", 200, "Plan a week in Rome"},
		{"Fix the login", "<think>Short, I think.</think>\n\n**“Login fix 🔧 for the old portal.”**\nAnother line", "", 200, "Login fix for the old portal"},
		{"Tell me about lighthouses", "Title: " + strings.Repeat("lighthouses of the north ", 9), "", 200, "lighthouses of the north lighthouses of the north…"},
		{"Water the plants", "", "", 500, "Water the plants"},
	}
	model, p, a := startTitling(t, func(message string) (int, map[string]any) {
		for _, r := range rows {
			if line, _, _ := strings.Cut(r.message, "\n"); strings.Contains(message, line) {
				return r.status, map[string]any{"role": "assistant", "content": r.content, "reasoning_content": r.reasoning}
			}
		}
		return said("Something else")
	})
	for i, r := range rows {
		conversation, run := a.ask(r.message)
		title := func() any { return a.must("GET", "/api/v1/conversations/"+conversation, "")["title"] }
		agenttest.Eventually(t, "the chat to be named "+r.title, func() bool { return len(model.requests()) == i+1 && title() == r.title })
		model.may <- struct{}{}
		if got := a.rests(run); got["status"] != "finished" {
			t.Fatalf("run is %v", got)
		}
		if told := ofType(a.events(conversation, 0), "title"); (len(told) == 1) != (r.content != "") || title() != r.title {
			t.Errorf("%q is called %v, told %v", r.title, title(), told)
		}
		asked := model.requests()[i]
		raw, _ := json.Marshal(asked["messages"])
		if asked["tools"] != nil || len(asked["messages"].([]any)) != 2 || len([]rune(string(raw))) > 2100 || strings.Contains(string(raw), "\ufffd") {
			t.Errorf("asked %s with tools %v", raw, asked["tools"])
		}
		if i == 0 {
			again := a.post(conversation, "And now?")
			model.may <- struct{}{}
			a.rests(again)
		}
	}
	if n := len(model.requests()); n != len(rows) {
		t.Errorf("asked %d times", n)
	}
	if ledger := administer(t, p.data, "ledger", "verify"); !strings.Contains(ledger, " 0 reservations open") {
		t.Error(ledger)
	}
	lines := 0
	for _, e := range a.must("GET", "/api/v1/ledger?limit=200", "")["items"].([]any) {
		if e := e.(map[string]any); e["stepKind"] == "title" && e["kind"] == "settlement" {
			lines++
			if line := e["line"].(map[string]any); e["runId"] != "" || line["model"] != "small" || line["conversationId"] == "" {
				t.Errorf("booked %v", e)
			}
		}
	}
	if lines != 4 {
		t.Errorf("%d lines of titles in the ledger", lines)
	}
}

// TestTitlesGiveWay: a title that is not there when the first answer ends is given up and
// paid, what a person calls a chat stays, and where an admin wants none, or no budget is left, none is asked for.
func TestTitlesGiveWay(t *testing.T) {
	t.Parallel()
	renamed := make(chan struct{})
	model, p, a := startTitling(t, func(message string) (int, map[string]any) {
		switch {
		case strings.Contains(message, "slow"):
			return http.StatusOK, nil
		case strings.Contains(message, "rename"):
			<-renamed
		}
		return said("By the model")
	})
	title := func(conversation string) any {
		return a.must("GET", "/api/v1/conversations/"+conversation, "")["title"]
	}
	settled := func(n int) {
		t.Helper()
		agenttest.Eventually(t, "titles to be settled", func() bool {
			over := map[any]bool{}
			for _, e := range a.must("GET", "/api/v1/ledger?limit=200", "")["items"].([]any) {
				if e := e.(map[string]any); e["stepKind"] == "title" && e["credit"] == "reserved" {
					over[e["reservationId"]] = true
				}
			}
			return len(over) >= n
		})
	}

	slow, run := a.ask("A slow one")
	agenttest.Eventually(t, "the title to be asked for", func() bool { return len(model.requests()) == 1 })
	model.may <- struct{}{}
	a.rests(run)
	settled(1)
	if title(slow) != "A slow one" || len(ofType(a.events(slow, 0), "title")) != 0 {
		t.Errorf("it is called %v", title(slow))
	}

	mine, run := a.ask("Please rename")
	agenttest.Eventually(t, "the title to be asked for", func() bool { return len(model.requests()) == 2 })
	a.must("PATCH", "/api/v1/conversations/"+mine, `{"title":"Mine"}`)
	close(renamed)
	settled(2)
	model.may <- struct{}{}
	a.rests(run)
	if told := ofType(a.events(mine, 0), "title"); title(mine) != "Mine" || len(told) != 1 || told[0]["title"] != "Mine" {
		t.Errorf("it is called %v, told %v", title(mine), told)
	}

	a.must("PUT", "/api/v1/chat-rules", `{"titles":false}`)
	off, run := a.ask("No title, please")
	model.may <- struct{}{}
	a.rests(run)
	if n := len(model.requests()); n != 2 || title(off) != "No title, please" {
		t.Errorf("asked %d times, it is called %v", n, title(off))
	}

	a.must("PUT", "/api/v1/chat-rules", `{"titles":true}`)
	a.must("POST", "/api/v1/budgets", `{"who":"everybody","window":"day","limitTokens":1,"atLimit":"stop"}`)
	poor, run := a.ask("Nothing is left")
	if got := a.rests(run); got["status"] != "stopped" || len(model.requests()) != 2 || title(poor) != "Nothing is left" {
		t.Errorf("the run is %v, titles were asked for %d times, it is called %v", got["status"], len(model.requests()), title(poor))
	}
	if ledger := administer(t, p.data, "ledger", "verify"); !strings.Contains(ledger, " 0 reservations open") {
		t.Error(ledger)
	}
}
