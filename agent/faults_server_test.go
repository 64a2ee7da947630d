package agent_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// faultKey is the key of the faulty endpoint, which quotes it in every error.
const faultKey = "sk-test-fault-0123456789"

// What the model says: its first answer has text and two calls, its second one
// text alone.
const (
	faultText  = "Let me look. "
	faultFinal = "All is well."
)

// faultyModel is an endpoint that speaks HTTP by hand, so that it can break it.
type faultyModel struct {
	t      *testing.T
	ln     net.Listener
	fault  fault
	place  place
	faults int // how often, a very large number for ever
	clock  *faultClock

	mu      sync.Mutex
	tries   int // of the first answer
	refused []string
}

// fault is one way to fail: a whole answer in bytes, or what is done to the
// connection in the middle of a stream.
type fault struct {
	name string
	// answer is sent instead of a stream; it cannot happen in the middle of one.
	answer string
	// breaks ends a stream that has begun.
	breaks func(*faultyModel, net.Conn)
	// fatal is never tried again, fine is no fault at all.
	fatal, fine bool
	// refuses lets no connection come about.
	refuses bool
}

// place is how far the first answer has come when it breaks.
type place int

const (
	beforeFirstByte place = iota
	afterText
	inTheCall
	afterLastCall
)

var places = []string{"before the first byte", "after text", "in the middle of a call", "after the last call"}

func newFaultyModel(t *testing.T, f fault, p place, faults int) *faultyModel {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &faultyModel{t: t, ln: ln, fault: f, place: p, faults: faults, clock: newFaultClock()}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go m.serve(conn)
		}
	}()
	return m
}

// next counts the tries of the first answer and says how this one goes: broken
// off at the place, failed with the fault, or well. A fault that cannot happen
// in the middle of a stream meets the try after one that was broken off there.
func (m *faultyModel) next() (breaks, fails bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tries++
	n := m.tries
	if m.fault.breaks == nil && m.place != beforeFirstByte {
		if n == 1 {
			return true, false
		}
		n--
	}
	return m.fault.breaks != nil && n <= m.faults, m.fault.breaks == nil && n <= m.faults
}

// willRefuse reports whether the next connection must not come about.
func (m *faultyModel) willRefuse() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.tries
	if m.place != beforeFirstByte {
		if n == 0 {
			return false
		}
		n--
	}
	if !m.fault.refuses || n >= m.faults {
		return false
	}
	m.tries++
	return true
}

// heal ends all faults.
func (m *faultyModel) heal() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = 0
	m.clock.heal()
}

func (m *faultyModel) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	history, err := readHistory(body)
	if err != nil {
		m.mu.Lock()
		m.refused = append(m.refused, err.Error())
		m.mu.Unlock()
		m.write(conn, httpAnswer("400 Bad Request", `{"error":{"message":"`+err.Error()+`"}}`))
		return
	}
	if history.results || history.persons > 1 {
		m.write(conn, streamHead+chunkOf(`{"content":"`+faultFinal+`"}`, "")+chunkOf(`{}`, "stop")+ending)
		return
	}
	switch breaks, fails := m.next(); {
	case fails:
		m.write(conn, m.fault.answer)
	case breaks:
		if m.place != beforeFirstByte {
			m.write(conn, streamHead+m.part())
		}
		if m.fault.breaks != nil {
			m.fault.breaks(m, conn)
		}
	default:
		m.write(conn, streamHead+spokenText()+firstCall()+secondCall()+chunkOf(`{}`, "tool_calls")+ending)
	}
}

// part is the stream up to the place.
func (m *faultyModel) part() string {
	switch m.place {
	case afterText:
		return spokenText()
	case inTheCall:
		return spokenText() + chunkOf(`{"tool_calls":[{"index":0,"id":"call_a","function":{"name":"look","arguments":"{\"x\""}}]}`, "")
	default:
		return spokenText() + firstCall() + secondCall()
	}
}

func (m *faultyModel) write(conn net.Conn, s string) { _, _ = io.WriteString(conn, s) } // the client may be gone

const (
	streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	ending     = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n"
)

func chunkOf(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return `data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + "}]}\n\n"
}

func spokenText() string {
	return chunkOf(`{"content":"Let me "}`, "") + chunkOf(`{"content":"look. "}`, "")
}

func firstCall() string {
	return chunkOf(`{"tool_calls":[{"index":0,"id":"call_a","function":{"name":"look","arguments":"{\"x\":1}"}}]}`, "")
}

func secondCall() string {
	return chunkOf(`{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"end_look","arguments":"{}"}}]}`, "")
}

// status is a whole answer; headers end in CRLF.
func httpAnswer(line, body string, headers ...string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n%s",
		line, len(body), strings.Join(headers, ""), body)
}

// sentHistory is what matters of a request's messages here.
type sentHistory struct {
	results bool // the first answer's calls have their results
	persons int  // how many messages persons wrote
}

// readHistory holds a request against the rule that every call is followed by
// its results, and nothing else.
func readHistory(body []byte) (h sentHistory, err error) {
	var req struct {
		Messages []struct {
			Role       string
			ToolCallID string                `json:"tool_call_id"`
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return h, err
	}
	open := map[string]bool{}
	for _, m := range req.Messages {
		switch {
		case m.Role == "tool" && !open[m.ToolCallID]:
			return h, errors.New("a result without its call")
		case m.Role == "tool":
			delete(open, m.ToolCallID)
			h.results = true
		case len(open) > 0:
			return h, errors.New("a call without its result")
		case m.Role == "user":
			h.persons++
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return h, errors.New("the last calls have no results")
	}
	return h, nil
}
