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

// fileAndCommand are the calls about a job of a model that reads, then writes a file and
// leaves a line with the job's name and a process that follows the file.
func fileAndCommand(job string, turn int) []asked {
	switch turn {
	case 0:
		return []asked{{"calculator", `{"expression":"6*7"}`}, {"list_files", `{}`}}
	case 1:
		return []asked{writesFile(job), leavesProcess(job)}
	default:
		return nil
	}
}

// writesFile writes the file of a job.
func writesFile(job string) asked {
	return asked{"write_file", fmt.Sprintf(`{"path":%q,"content":%q}`, job+".txt", job)}
}

// leavesProcess leaves a line with a job's name, and a process that follows its file.
func leavesProcess(job string) asked {
	return sh("echo " + job + "~s1 >> effects; setsid tail -f " + job + ".txt >/dev/null 2>&1 & sleep 0.1")
}

// talkative is a model's server for messages that name a job: it streams text and makes
// the calls of one turn after the other, then streams text.
type talkative func(job string, turn int) []asked

func (calls talkative) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	job, turn, err := turnOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
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
	now := calls(job, turn)
	if len(now) == 0 {
		chunk(w, map[string]any{"content": "done"}, "stop")
		return
	}
	chunk(w, map[string]any{"tool_calls": callsOf(turn, now)}, "tool_calls")
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
