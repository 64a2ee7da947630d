package mcptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// Script is a server as others write them: what the SDK would not send can be in it.
type Script struct {
	// Tools are those of tools/list.
	Tools []json.RawMessage
	// Noise is written as it is: before the server is asked anything, and with the answers
	// to calls, by the name of the tool.
	Noise  string
	Called map[string]string
	// Results are those of calls, by the name of the tool; any other one says ok.
	Results map[string]json.RawMessage
	// Echo has them say their arguments instead.
	Echo bool
}

// Args are the arguments that make a test binary play the script.
func (s Script) Args() []string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return []string{Argument, "script", string(raw)}
}

// play serves a script until its input ends.
func play(script string) error {
	var s Script
	if err := json.Unmarshal([]byte(script), &s); err != nil {
		return fmt.Errorf("read the script: %w", err)
	}
	fmt.Print(s.Noise)
	requests := bufio.NewScanner(os.Stdin)
	for requests.Scan() {
		var r request
		if err := json.Unmarshal(requests.Bytes(), &r); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		if r.ID == nil {
			continue
		}
		if r.Method == "tools/call" {
			fmt.Print(s.Called[r.Params.Name])
		}
		fmt.Println(string(s.answer(r)))
	}
	return requests.Err()
}

// ServeHTTP makes the script a server over streamable HTTP: it answers with events where
// the path ends in /events, else with JSON.
func (s Script) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var r request
	if q.Method != http.MethodPost || json.NewDecoder(q.Body).Decode(&r) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	switch {
	case r.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case strings.HasSuffix(q.URL.Path, "/events"):
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: message\r\ndata: %s\r\n\r\n", s.answer(r))
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.answer(r))
	}
}

func (s Script) answer(r request) []byte {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": s.result(r)})
	if err != nil {
		panic(err) // the script is no JSON
	}
	return answer
}

// request is what is read of one.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func (s Script) result(r request) any {
	switch r.Method {
	case "initialize":
		return json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}`)
	case "tools/list":
		return map[string]any{"tools": s.Tools}
	case "tools/call":
		if result, ok := s.Results[r.Params.Name]; ok {
			return result
		}
		text := "ok"
		if s.Echo {
			text = string(r.Params.Arguments)
		}
		return map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}}
	}
	return map[string]any{}
}
