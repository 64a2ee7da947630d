package e2e

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/gorilla/websocket"
)

// talkLength is how many messages a conversation gets.
const talkLength = 6

// editAfter is which message of a talk is edited, where some are.
const editAfter = 1

// talk is a conversation, and what its clients know of it.
type talk struct {
	o        *outages
	name, id string // whose, and its own
	jobs     string // how the names of its jobs begin
	readers  [2]eventReader

	mu        sync.Mutex
	ended     map[string]chan struct{} // by run
	asked     map[string]bool          // approvals that somebody decides
	arguments map[string]string        // by run and call
	deciding  sync.WaitGroup
	messages  []acknowledged
	uploads   []acknowledgedFile
	decisions []string // approvals whose decision was acknowledged
	edits     int
	undone    int // decisions whose undoing was acknowledged
}

// acknowledged is an acknowledged message.
type acknowledged struct {
	MessageID, RunID string
	content          string
}

// eventReader is a client that has read the log up to some event.
type eventReader struct{ seen [][sha256.Size]byte }

// use has one conversation after the other until the last kill is over.
func (o *outages) use(name string, client int) {
	for n := 0; ; n++ {
		select {
		case <-o.over:
			return
		case <-o.ctx.Done():
			return
		default:
		}
		o.converse(name, fmt.Sprintf("%d-%d", client, n))
	}
}

// converse has a conversation that two clients read, by lines and by websocket. The
// admin's asks about commands alone.
func (o *outages) converse(name, label string) {
	body := `{}`
	if name == "admin" {
		body = `{"approvalMode":"yolo"}`
	}
	status, answer, ok := o.insist(name, http.MethodPost, "/api/v1/conversations", []byte(body))
	if !ok {
		return
	}
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil || status != http.StatusCreated {
		o.t.Errorf("a new conversation: %d %s", status, answer)
		return
	}
	t := &talk{o: o, name: name, id: made.ID, jobs: fmt.Sprintf("job-%x-%s-", o.seed, label), ended: map[string]chan struct{}{}, asked: map[string]bool{}, arguments: map[string]string{}}
	o.mu.Lock()
	o.talks = append(o.talks, t)
	o.mu.Unlock()
	ctx, stop := context.WithCancel(o.ctx)
	var reading sync.WaitGroup
	reading.Go(func() { t.readLines(ctx) })
	reading.Go(func() { t.readSocket(ctx) })
	for n := range talkLength {
		if job := fmt.Sprint(t.jobs, n); o.work.uploads && !t.upload(job) || !t.say(job, "") {
			break
		}
		if o.work.uploads && n == editAfter && !t.edit(fmt.Sprint(t.jobs, talkLength)) {
			break
		}
	}
	stop()
	reading.Wait()
	t.deciding.Wait()
}

// say sends a message until it is acknowledged, and waits for the end of its run. With a
// parent it is the edited one of another message. It reports whether the talk goes on.
func (t *talk) say(content, parent string) bool {
	outputs := map[string]string{}
	for _, name := range t.o.work.outputs {
		outputs[name] = "string"
	}
	body, err := json.Marshal(map[string]any{"content": content, "clientId": content, "parentId": parent, "outputs": outputs})
	if err != nil {
		t.o.t.Error(err)
	}
	status, answer, ok := t.o.insist(t.name, http.MethodPost, "/api/v1/conversations/"+t.id+"/messages", body)
	if !ok {
		return false
	}
	done := acknowledged{content: content}
	if err := json.Unmarshal(answer, &done); err != nil || status != http.StatusAccepted {
		t.o.t.Errorf("%s: the message was answered with %d %s", t.id, status, answer)
		return false
	}
	t.mu.Lock()
	t.messages = append(t.messages, done)
	if t.o.work.courseOf(content) == stops {
		t.deciding.Go(func() { t.stop(done) })
	}
	t.mu.Unlock()
	select {
	case <-t.end(done.RunID):
	case <-t.o.ctx.Done():
		return false
	}
	select {
	case <-t.o.over:
		return false
	default:
		return true
	}
}

// end is closed once a run has ended.
func (t *talk) end(run string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended[run] == nil {
		t.ended[run] = make(chan struct{})
	}
	return t.ended[run]
}

// readLines reads the log as lines.
func (t *talk) readLines(ctx context.Context) {
	for t.o.up() && ctx.Err() == nil {
		path := fmt.Sprintf("/api/v1/conversations/%s/events?after=%d", t.id, len(t.readers[0].seen))
		res, err := t.o.open(ctx, t.name, http.MethodGet, path, nil)
		if err != nil {
			continue
		}
		lines := bufio.NewReader(res.Body)
		switch res.StatusCode {
		case http.StatusOK:
		case http.StatusServiceUnavailable: // it stops
			err = io.EOF
		default:
			t.refused(res, lines)
			err = io.EOF
		}
		for err == nil {
			var line []byte
			if line, err = lines.ReadBytes('\n'); err == nil && len(line) > 1 { // an empty one says that the server is there
				t.see(&t.readers[0], line)
			}
		}
		_ = res.Body.Close()
	}
}

// refused tells of a log that the server did not serve, with the errors that it has logged.
func (t *talk) refused(res *http.Response, body io.Reader) {
	said, _ := io.ReadAll(io.LimitReader(body, 1000)) // it may die meanwhile
	t.o.down.RLock()
	log := t.o.server.log
	t.o.down.RUnlock()
	var logged strings.Builder
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=ERROR") {
			logged.WriteString(line)
		}
	}
	t.o.t.Errorf("%s: the log was answered with %s %s; the server says:\n%s", t.id, res.Status, said, logged.String())
}

// readSocket reads the log from a websocket.
func (t *talk) readSocket(ctx context.Context) {
	header := http.Header{"Authorization": {"Bearer " + t.o.tokens[t.name]}}
	for t.o.up() && ctx.Err() == nil {
		url := fmt.Sprintf("%s/ws/conversations/%s?after=%d", strings.Replace(t.o.url, "http", "ws", 1), t.id, len(t.readers[1].seen))
		conn, res, err := websocket.DefaultDialer.DialContext(ctx, url, header)
		if res != nil {
			_ = res.Body.Close()
		}
		if err != nil {
			continue
		}
		leave := context.AfterFunc(ctx, func() { _ = conn.Close() })
		for err == nil {
			var raw []byte
			if _, raw, err = conn.ReadMessage(); err == nil {
				t.see(&t.readers[1], raw)
			}
		}
		leave()
		_ = conn.Close()
	}
}

// glance is what clients look at in an event.
type glance struct {
	Seq, Generation               int
	Type, RunID, ApprovalID, Kind string
	ToolCallID, ErrorType, Status string
	Message                       json.RawMessage
}

// spoken is what clients look at in a message.
type spoken struct {
	ID, Role, Content, ToolCallID string
	ToolCalls                     []struct{ ID, Name, Arguments string }
}

// messageOf is the message of an event; an empty one where there is none.
func messageOf(e glance) (m spoken) {
	_ = json.Unmarshal(e.Message, &m) // what is no message lacks its id, which is found missing
	return m
}

// see keeps an event that a client has read, and does what it asks for.
func (t *talk) see(r *eventReader, raw []byte) {
	var e glance
	if err := json.Unmarshal(raw, &e); err != nil {
		t.o.t.Errorf("%s: event %q: %v", t.id, raw, err)
		return
	}
	if e.Seq != len(r.seen)+1 {
		t.o.t.Errorf("%s: a client that has seen %d events got one with seq %d", t.id, len(r.seen), e.Seq)
		return
	}
	r.seen = append(r.seen, digest(raw))
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Type {
	case "finish":
		if t.ended[e.RunID] == nil {
			t.ended[e.RunID] = make(chan struct{})
		}
		select {
		case <-t.ended[e.RunID]: // the other reader was first
		default:
			close(t.ended[e.RunID])
			t.deciding.Go(func() { t.nothingRuns(e.RunID) })
		}
	case "message":
		for _, c := range messageOf(e).ToolCalls {
			t.arguments[e.RunID+" "+c.ID] = c.Arguments
		}
	case "approval-requested":
		if !t.asked[e.ApprovalID] {
			t.asked[e.ApprovalID] = true
			arguments := t.arguments[e.RunID+" "+e.ToolCallID]
			t.deciding.Go(func() { t.decide(e, arguments) })
		}
	}
}

func digest(raw []byte) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.TrimSuffix(string(raw), "\n")))
}
