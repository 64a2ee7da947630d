package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// TestArgumentsOneEncodingAway: they are mended before they are checked, shown mended on the
// card, and run as they were shown. What can be read in no way, or in several, is refused.
func TestArgumentsOneEncodingAway(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	for name, tc := range map[string]struct{ tool, args, shown, leaves string }{
		"a number for a text":  {"write_file", `{"path":"a.txt","content":12345}`, `{"content":"12345","path":"a.txt"}`, "12345"},
		"a long number":        {"write_file", `{"path":"a.txt","content":12345678901234567890.50}`, `{"content":"12345678901234567890.50","path":"a.txt"}`, "12345678901234567890.50"},
		"a switch as a text":   {"write_file", `{"path":"a.txt","content":true}`, `{"content":"true","path":"a.txt"}`, "true"},
		"a text stays":         {"write_file", `{"path":"a.txt","content":"007"}`, `{"path":"a.txt","content":"007"}`, "007"},
		"everything as a text": {"write_file", `"{\"path\":\"a.txt\",\"content\":\"x\"}"`, `{"content":"x","path":"a.txt"}`, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.as(t)
			run := h.asks(t, []asked{{tc.tool, tc.args}})
			card := h.card(t, run)
			var want any
			if err := json.Unmarshal([]byte(tc.shown), &want); err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(card["args"])
			wanted, _ := json.Marshal(want)
			if string(got) != string(wanted) || card["argsHash"] != fingerprint.Args(tc.shown, nil) {
				t.Errorf("the card shows %s, %v", got, card["argsHash"])
			}
			if page := h.ana.page(t, "/c/"+h.conversationOf[run]); !strings.Contains(page, tc.leaves) {
				t.Error("the chat does not show it")
			}
			if status, answer := decides(h.rex, card, `{"decision":"approve","argsHash":"`+card["argsHash"].(string)+`"}`); status != http.StatusOK {
				t.Fatalf("%d %v", status, answer)
			}
			h.ana.rests(run)
			written := h.ana.must("GET", "/api/v1/conversations/"+h.conversationOf[run]+"/messages", "")
			if strings.HasPrefix(tc.args, "{") && !strings.Contains(string(agent.MustJSON(written)), string(agent.MustJSON(tc.args))) {
				t.Errorf("the history says %v", written)
			}
			if left := h.left(t, run, "a.txt"); left != tc.leaves {
				t.Errorf("the file says %q", left)
			}
		})
	}
	t.Run("readings that are not", func(t *testing.T) {
		h := h.as(t)
		run := h.asks(t, []asked{{"grep", `{"pattern":["a"]}`}}, []asked{{"read_file", `{"path":null}`}}, []asked{{"write_file", `{"path":"a.txt","content":null}`}})
		for _, result := range h.results(run) {
			if !strings.Contains(result, "do not match the tool's schema") {
				t.Errorf("the model reads %q", result)
			}
		}
		if n := len(h.results(run)); n != 3 {
			t.Errorf("%d results", n)
		}
	})
}
