package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunsWaitForTheirTools: a server that is started again continues no run before its
// commands have said which tools there are: no model is told that a tool that it was
// offered is none.
func TestRunsWaitForTheirTools(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	runs := map[string]string{} // by message
	ask := func(message string) {
		h.model.plays(message, []asked{{"ticket_note", `{"title":"` + message + `, first"}`}}, []asked{{"ticket_note", `{"title":"` + message + `, then"}`}})
		conversation, run := h.ana.ask(message)
		runs[message], h.conversationOf[run] = run, conversation
		h.ana.rests(run)
	}
	approve := func(message string) {
		decides(h.rex, h.card(t, runs[message]), `{"decision":"approve"}`)
		h.ana.rests(runs[message])
	}
	ask("waits for its first card")
	ask("waits for its second card")
	approve("waits for its second card")

	script := filepath.Join(filepath.Dir(h.config()), "tickets")
	must(t, os.WriteFile(script, []byte(strings.Replace(tickets, "= --list ]; then", "= --list ]; then sleep 1", 1)), 0o700))
	h.restart(t)
	approve("waits for its first card")
	h.restart(t)
	ask("comes right after the start")
	h.restart(t)
	approve("waits for its second card")
	for range 2 {
		approve("comes right after the start")
	}
	approve("waits for its first card")
	for message, run := range runs {
		if got := strings.Join(h.results(run), " "); strings.Contains(got, "no tool named") || strings.Count(h.noted(t, "tickets"), message) != 2 {
			t.Errorf("%s: the model reads %q, noted %q", message, got, h.noted(t, "tickets"))
		}
	}
}

// config is the configuration file of a server.
func (h *instance) config() string {
	for _, variable := range h.env {
		if file, ok := strings.CutPrefix(variable, "FUSEBOX_CONFIG="); ok {
			return file
		}
	}
	return ""
}
