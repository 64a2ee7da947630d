package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// failsAs reports whether a call may fail in a way: refused, cut off by the end of its
// run, or interrupted and denied by who looked.
func failsAs(c course, acts bool, errorType string) bool {
	switch errorType {
	case "rejected":
		return c == denies && acts
	case "cancelled":
		return c == stops || c == aborts
	case "interrupted":
		return acts
	default:
		return false
	}
}

// courseOfCall is that of the job that a call names; calls that only read name none, and
// are cut off by whatever ends their run.
func (w work) courseOfCall(arguments string) course {
	if job := jobIn.FindString(arguments); job != "" {
		return w.courseOf(job)
	}
	return stops
}

// checkCalls wants one result for every call, and the effect of every call that has
// succeeded, once.
func (h *history) checkCalls() {
	left := map[string]int{}
	for _, line := range h.effects() {
		left[line]++
		h.sum.effects++
	}
	for line, n := range left {
		h.once(n, "effect "+line)
	}
	h.sum.calls += len(h.calls)
	for key, c := range h.calls {
		h.once(len(h.results[key]), "the result of "+key)
		h.once(h.answers[key], "the message with the result of "+key)
		for _, r := range h.results[key] {
			h.checkEffect(c.Name, c.Arguments, r, left)
		}
	}
	for key := range h.results {
		if _, known := h.calls[key]; !known {
			h.o.t.Errorf("%s: %s has a result and was never asked for", h.id, key)
		}
	}
}

// isAsked reports whether a call that has effects is asked about in a talk.
func (h *history) isAsked(name string) bool { return h.name != "admin" || name == "run_shell" }

// checkValues wants every value in its run that a result says is delivered.
func (h *history) checkValues() {
	delivered := map[string]map[string]any{} // by run
	for key, c := range h.calls {
		var emitted struct {
			Name  string
			Value any
		}
		if c.Name != "emit_value" || len(h.results[key]) == 0 || h.results[key][0].ErrorType != "" {
			continue
		}
		if err := json.Unmarshal([]byte(c.Arguments), &emitted); err != nil {
			h.o.t.Error(err)
		}
		run, _, _ := strings.Cut(key, " ")
		if delivered[run] == nil {
			delivered[run] = map[string]any{}
		}
		delivered[run][emitted.Name] = emitted.Value
	}
	for run, want := range delivered {
		h.sum.values += len(want)
		_, answer, _ := h.o.insist(h.name, http.MethodGet, "/api/v1/runs/"+run, nil)
		var got struct{ Values map[string]any }
		if err := json.Unmarshal(answer, &got); err != nil || !reflect.DeepEqual(got.Values, want) {
			h.sum.lost++
			h.o.t.Errorf("%s: run %s has delivered %v, and has %v", h.id, run, want, got.Values)
		}
	}
}

func (h *history) checkEffect(name, arguments string, r glance, left map[string]int) {
	c, effect := h.o.work.courseOfCall(arguments), effectOf.FindString(arguments)
	acts := effect != ""
	if r.ErrorType != "" && !failsAs(c, acts, r.ErrorType) {
		h.o.t.Errorf("%s: %s %s has failed: %s", h.id, name, arguments, r.ErrorType)
	}
	if acts && h.isAsked(name) && (c == denies || c == aborts) {
		h.sum.denied++
		if n := left[effect]; n > 0 || r.ErrorType == "" {
			h.sum.doubled++
			h.o.t.Errorf("%s: %s was refused and happened %d times", h.id, arguments, n)
		}
	}
	if n := left[effect]; r.ErrorType == "interrupted" && n > 0 {
		h.sum.doubled++
		h.o.t.Errorf("%s: %s had not happened when a person looked, and happened then", h.id, arguments)
	}
	switch {
	case r.ErrorType != "":
	case acts:
		h.once(left[effect], "the effect of "+arguments)
	case name == "write_file":
		var file struct{ Path, Content string }
		if err := json.Unmarshal([]byte(arguments), &file); err != nil {
			h.o.t.Error(err)
		}
		text, err := os.ReadFile(filepath.Join(h.o.data, "workspaces", h.id, file.Path))
		if err != nil || !strings.HasPrefix(string(text), file.Content) {
			h.sum.lost++
			h.o.t.Errorf("%s: %s has %q, %v", h.id, file.Path, text, err)
			return
		}
		h.sum.effects++
	}
}
