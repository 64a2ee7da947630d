package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestInboxIsWhatOneCanDecide: an approval is the viewer's to decide exactly where their
// decision is taken. All else waits for others.
func TestInboxIsWhatOneCanDecide(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob, rita := s.user("bob@example.org", agent.RoleUser), s.user("rita@example.org", agent.RoleReviewer)
	viewers := []agent.User{bob, rita, s.user("rex@example.org", agent.RoleReviewer), s.user("ada@example.org", agent.RoleAdmin)}
	critical := shellCard(agent.RiskCritical, "rm -rf /srv")
	critical.Needs = 2
	for _, tc := range []struct {
		name   string
		card   agent.Approval
		before string // what Rita has done with it
		decide string
		mine   string
	}{
		{"a question", questionCard(`{"question":"Which colour?"}`), "", `"decision":"answer","answer":"1"`, "bob"},
		{"medium risk", writeCard(agent.RiskMedium, "notes.md"), "", `"decision":"approve"`, "bob rita rex ada"},
		{"high risk", shellCard(agent.RiskHigh, "make"), "", `"decision":"approve"`, "rita rex ada"},
		{"critical risk", critical, "", `"decision":"approve"`, "rita rex ada"},
		{"approved by Rita, who is not enough", critical, `"decision":"approve"`, `"decision":"approve"`, "rex ada"},
		{"edited by Rita", shellCard(agent.RiskHigh, "make"), `"decision":"edit","args":{"command":"make all"}`, `"decision":"approve"`, "rex ada"},
		{"a loop", loopCard(), "", `"decision":"resume"`, "bob rita rex ada"},
		{"a run's budget", budgetCard(), "", `"decision":"resume","raiseTokensBy":5000`, "rita rex ada"},
		{"an admin's budget", sharedCard(""), "", `"decision":"resume","raiseMicrosBy":1000000`, "ada"},
	} {
		var mine, taken []string
		for _, u := range viewers {
			id := s.paused(bob, tc.name, tc.card).ID
			decide := func(u agent.User, decision string) int {
				a, err := s.db.Approval(t.Context(), u.Viewer(), id)
				s.ok(err)
				return s.client(u).call("POST", "/api/v1/approvals/"+id+"/decision", fmt.Sprintf(`{%s,"generation":%d,"argsHash":%q}`, decision, a.Generation, a.ArgsHash)).status
			}
			if tc.before != "" {
				if got := decide(rita, tc.before); got != http.StatusOK {
					t.Fatalf("%s: %d", tc.name, got)
				}
			}
			name, _, _ := strings.Cut(u.Email, "@")
			entries, err := s.db.InboxEntries(t.Context(), u.Viewer(), []string{id})
			s.ok(err)
			if entries[0].Mine {
				mine = append(mine, name)
			}
			if decide(u, tc.decide) != http.StatusForbidden {
				taken = append(taken, name)
			}
		}
		if strings.Join(mine, " ") != tc.mine || strings.Join(taken, " ") != tc.mine {
			t.Errorf("%s is for %v, and taken from %v; want %s", tc.name, mine, taken, tc.mine)
		}
	}
}
