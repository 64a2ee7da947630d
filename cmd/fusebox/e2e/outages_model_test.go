package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// talkPause is the time between two pieces of talkative's text.
const talkPause = 2 * time.Millisecond

// talkative is a model's server for messages that name a job: it streams text and
// reads, then writes a file and leaves a line with the job's name and a process that
// follows the file, then streams text.
func talkative(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	job, turn, err := turnOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var calls []asked
	switch turn {
	case 0:
		calls = []asked{{"calculator", `{"expression":"6*7"}`}, {"list_files", `{}`}}
	case 1:
		calls = []asked{{"write_file", fmt.Sprintf(`{"path":%q,"content":%q}`, job+".txt", job)}, sh("echo " + job + " >> effects; setsid tail -f " + job + ".txt >/dev/null 2>&1 & sleep 0.1")}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for piece := range strings.SplitAfterSeq(fmt.Sprintf("Turn %d of %s: everybody who reads along sees these words as they come.", turn, job), " ") {
		raw, err := json.Marshal(piece)
		if err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintf(w, `data: {"id":"x","object":"chat.completion.chunk","model":"scripted","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", raw)
		if http.NewResponseController(w).Flush() != nil || !pause(r) {
			return
		}
	}
	if len(calls) == 0 {
		chunk(w, map[string]any{"content": "done"}, "stop")
		return
	}
	chunk(w, map[string]any{"tool_calls": callsOf(turn, calls)}, "tool_calls")
}

// pause lets some time pass; false where the client has left.
func pause(r *http.Request) bool {
	select {
	case <-time.After(talkPause):
		return true
	case <-r.Context().Done():
		return false
	}
}
