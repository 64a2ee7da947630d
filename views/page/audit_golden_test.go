package page

import (
	"testing"

	"fusebox/agent"

	"github.com/a-h/templ"
)

func TestGoldenAudit(t *testing.T) {
	t.Parallel()
	golden(t, map[string]templ.Component{
		"audit-item": AuditItem(agent.AuditRow{
			Seq: 7, ID: "i7", At: noon, Actor: "ana@example.com", Role: agent.RoleAdmin, Action: "approval.decide", Target: "a1", Place: "session 192.0.2.7",
			Shown: "5ba2", Before: "b0", Hash: "c0", Detail: `{"decision":"approve <i>","because":"fine <script>"}`,
		}),
		"audit-chain-broken": chain(Chain{Rows: 12, Head: "c0", At: noon, Check: "/admin/audit?check=newest", Verdict: true, Checked: 6, Fault: "row 7: it was changed"}),
		"reviewers-row":      reviewersRow(ReviewersLine{Who: "rex@example.com", Decisions: "6", Median: "35 s", Approved: "83%", Unopened: "60%", Failed: "0", Undone: "–"}),
	})
}
