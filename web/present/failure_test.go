package present

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/views/part"
)

// TestFailedCallOffersWhatHelps: what is refused is not to be tried again, a key is an
// admin's to mend, and what may pass is tried again. It is said once, and a breaker
// that did nothing has not tripped.
func TestFailedCallOffersWhatHelps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		status       int
		retryable    bool
		role         agent.Role
		primary      string
		offers, says []string
		not          []string
	}{
		{"refused", http.StatusBadRequest, false, agent.RoleUser, "Change the model", []string{"Edit and resend"}, nil, []string{"Try again"}},
		{"no key", http.StatusUnauthorized, false, agent.RoleUser, "Change the model", []string{"Try again"}, []string{"Tell your admin"}, []string{"/admin/models", "Edit and resend"}},
		{"no key, admin", http.StatusForbidden, false, agent.RoleAdmin, "Check the model", []string{"/admin/models", "Try again"}, nil, []string{"Edit and resend"}},
		{"busy", http.StatusTooManyRequests, true, agent.RoleUser, "Try again", []string{"Edit and resend"}, nil, []string{"Change the model"}},
		{"no answer", 0, true, agent.RoleUser, "Try again", []string{"Edit and resend"}, nil, []string{"Change the model"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScript()
			s.said("r1", "u1", "Hello")
			s.add("r1", 0, agent.RunStart{Model: "m", Limits: agent.Limits{Steps: 50}})
			s.add("r1", 1, agent.ErrorEvent{Message: "It failed.", Retryable: c.retryable, Status: c.status},
				agent.Finish{Status: agent.StatusFailed, StopReason: agent.StopProviderError, Message: "It failed. No tools ran. Retry."})
			p := fold(agent.Conversation{ID: "c"}, true)
			p.Owns, p.Viewer = true, agent.Viewer{Role: c.role}
			html, told := "", 0
			for _, e := range s.events {
				for _, f := range p.Apply(e) {
					if f.Op == opSay && f.HTML == "It failed." {
						told++
					} else if f.Target == transcriptID {
						html += f.HTML
					}
				}
			}
			if _, main, _ := strings.Cut(html, "btn-primary"); strings.Contains(main, "btn-primary") || !strings.Contains(agent.Clip(main, 300), c.primary) {
				t.Errorf("offers first: %s", main)
			}
			for _, want := range append(c.offers, c.says...) {
				if !strings.Contains(html, want) {
					t.Errorf("no %q in %s", want, html)
				}
			}
			for _, no := range append(c.not, "No tools ran") {
				if strings.Contains(html, no) {
					t.Errorf("%q in %s", no, html)
				}
			}
			if told != 1 || strings.Count(html, "It failed.") != 1 {
				t.Errorf("told %d times in: %s", told, html)
			}
			for _, f := range p.fuses() {
				if f.Level == part.Tripped {
					t.Errorf("%s has tripped", f.Name)
				}
			}
		})
	}
}
