package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// auditLog adds lines of every kind, the last one the newest.
func (s *site) auditLog(rows ...agent.AuditRow) {
	s.t.Helper()
	for _, r := range rows {
		r.ID = s.newID()
		if r.At.IsZero() {
			r.At = s.clock.Now()
		}
		s.ok(s.db.Audit(s.t.Context(), r))
	}
}

func TestAuditPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	b := s.as(ana)
	day := time.Date(2026, 1, 10, 23, 30, 0, 0, time.UTC)
	s.auditLog(
		agent.AuditRow{Actor: "rex@example.com", Role: agent.RoleReviewer, Action: "approval.decide", Target: "card1", Place: "session 192.0.2.7", At: day,
			Detail: `{"comment":"fine <b>by me</b>","conversation":"conv1","run":"run1","covers":null,"generation":2,"tool":""}`, Shown: "5ba2"},
		agent.AuditRow{Actor: agent.System, Action: "call.execute", Target: "run2/call7", Detail: `{"tool":"write_file"}`, At: day.AddDate(0, 0, 1)},
		agent.AuditRow{Actor: "rex@example.com", Action: "old.line", Target: "x", Detail: "not JSON", At: day.AddDate(0, 0, 2)},
	)
	b.get("/admin/audit").check(t, want{status: http.StatusOK, has: []string{
		"approval.decide", "card1", "session 192.0.2.7", `href="/approvals/card1"`, `href="/runs/run1"`, `href="/c/conv1"`, `href="/runs/run2"`,
		"fine &lt;b&gt;by me&lt;/b&gt;", "not JSON", "5ba2", "fusebox audit verify", `aria-current="page"`, "/admin/audit/mirror",
	}, hasNot: []string{"<b>by me", "<dt>covers</dt>", "<dt>tool</dt>\n<dd class=\"mono\"></dd>"}})
	for _, row := range []struct {
		query       string
		has, hasNot []string
	}{
		{"actor=rex@example.com", []string{"card1", "old.line", "Clear", `value="rex@example.com"`, "/admin/audit.csv?actor=rex%40example.com"}, []string{"run2/call7"}},
		{"action=call.", []string{"run2/call7"}, []string{"card1"}},
		{"target=card1", []string{"session 192.0.2.7"}, []string{"run2/call7"}},
		{"text=WRITE_file", []string{"run2/call7"}, []string{"card1"}},
		{"from=2026-01-10&to=2026-01-10", []string{"card1"}, []string{"run2/call7"}},
		{"from=2026-01-11&to=2026-01-12", []string{"run2/call7", "old.line"}, []string{"card1"}},
		{"target=nothing", []string{"No entries match this filter."}, []string{"card1"}},
	} {
		b.get("/admin/audit?"+row.query).check(t, want{status: http.StatusOK, has: row.has, hasNot: row.hasNot})
	}
	b.get("/admin/audit?from=yesterday").check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="from-error"`, `value="yesterday"`}})
	b.get("/admin/audit?from=2026-02-01&to=2026-01-01").check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="from-error"`}})
	b.get("/admin/audit?cursor=x").check(t, want{status: http.StatusBadRequest})
}

func TestAuditPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ana@example.com", agent.RoleAdmin))
	for i := range 60 {
		s.auditLog(agent.AuditRow{Actor: "rex@example.com", Action: "x.y", Target: fmt.Sprintf("thing %02d.", i), Detail: "{}"})
	}
	first := b.get("/admin/audit?action=x.")
	first.check(t, want{status: http.StatusOK, has: []string{"thing 59.", "thing 10.", "Older entries", "action=x."}, hasNot: []string{"thing 09."}})
	_, next, _ := strings.Cut(first.body, `<p class="more"><a class="btn" href="`)
	next, _, _ = strings.Cut(next, `"`)
	b.get(strings.ReplaceAll(next, "&amp;", "&")).check(t, want{status: http.StatusOK, has: []string{"thing 09.", "thing 00."}, hasNot: []string{"thing 10.", "Older entries"}})
}

func TestAuditPageChecksTheChain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ana@example.com", agent.RoleAdmin))
	head, err := s.db.AuditHead(t.Context())
	s.ok(err)
	b.get("/admin/audit").check(t, want{status: http.StatusOK, has: []string{head.Hash, fmt.Sprintf("--rows %d", head.Seq)}, hasNot: []string{"entries verified"}})
	b.get("/admin/audit?check=newest").check(t, want{status: http.StatusOK, has: []string{fmt.Sprintf("Last %d entries verified.", head.Seq)}})
	s.tamper(`DROP TRIGGER audit_no_update`, `UPDATE audit SET role = 'user' WHERE seq = 2`)
	b.get("/admin/audit?check=newest").check(t, want{status: http.StatusOK, has: []string{"The hash chain is broken.", "row 2 (", "it was changed"}})
}

func TestAuditCSV(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	for i := range 450 {
		s.auditLog(agent.AuditRow{Actor: "rex@example.com", Action: "x.y", Target: fmt.Sprint(i), Detail: "{}"})
	}
	s.auditLog(agent.AuditRow{
		Actor: "=HYPERLINK(1)", Role: "+r", Action: "@x", Target: "-2+3", Place: "\tcmd", Shown: "\r=1", Detail: "{\"a\":\"b,\n\\\"c\"}",
	})
	b := s.as(ana)
	got := b.get("/admin/audit.csv")
	records, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	s.ok(err)
	rows := s.auditRows("")
	if len(records) != int(rows[0].Seq)+1 {
		t.Errorf("%d records of %d rows", len(records), rows[0].Seq)
	}
	if strings.Join(records[0], " ") != "seq id at actor role action target place shown detail before hash" {
		t.Errorf("head: %q", records[0])
	}
	byTarget := map[string][]string{}
	for _, r := range records[1:] {
		byTarget[r[6]] = r
		for _, cell := range r {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("a cell is a formula: %q", cell)
			}
		}
	}
	if r := byTarget["'-2+3"]; len(r) != 12 || r[3] != "'=HYPERLINK(1)" || r[7] != "'\tcmd" || r[9] != "{\"a\":\"b,\n\\\"c\"}" {
		t.Errorf("the strange row: %q", r)
	}
	if kind := got.header.Get("Content-Type"); kind != "text/csv; charset=utf-8" || !strings.Contains(got.header.Get("Content-Disposition"), "fusebox-audit.csv") {
		t.Errorf("headers: %v", got.header)
	}
	few, err := csv.NewReader(strings.NewReader(b.get("/admin/audit.csv?action=x.&target=7").body)).ReadAll()
	if err != nil || len(few) != 2 || few[1][6] != "7" {
		t.Errorf("filtered: %q %v", few, err)
	}
}

func TestAuditAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("ana@example.com", agent.RoleAdmin))
	s.auditLog(
		agent.AuditRow{Actor: "rex@example.com", Action: "x.one", Target: "a", Detail: "{}"},
		agent.AuditRow{Actor: "rex@example.com", Action: "x.two", Target: "b", Detail: "{}"},
	)
	type body struct {
		Items      []agent.AuditRow `json:"items"`
		NextCursor string           `json:"nextCursor"`
	}
	all := decoded[body](t, admin.call("GET", "/api/v1/audit?limit=1", ""), http.StatusOK)
	if len(all.Items) != 1 || all.Items[0].Action != "x.two" || all.NextCursor == "" || all.Items[0].Hash != all.Items[0].Sum() {
		t.Errorf("%+v", all)
	}
	second := decoded[body](t, admin.call("GET", "/api/v1/audit?limit=1&cursor="+all.NextCursor, ""), http.StatusOK)
	if second.Items[0].Action != "x.one" || second.Items[0].Hash != all.Items[0].Before {
		t.Errorf("%+v", second)
	}
	few := decoded[body](t, admin.call("GET", "/api/v1/audit?actor=rex@example.com&action=x.&target=a", ""), http.StatusOK)
	if len(few.Items) != 1 || few.Items[0].Target != "a" || few.NextCursor != "" {
		t.Errorf("%+v", few)
	}
	if got := admin.call("GET", "/api/v1/audit?to=soon", ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, `"field":"to"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestMirrorPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rex := s.user("ana@example.com", agent.RoleAdmin), s.user("rex@example.com", agent.RoleReviewer)
	b := s.as(ana)
	b.get("/admin/audit/mirror").check(t, want{status: http.StatusOK, has: []string{"No decisions in this period", "A mirror, not a ranking"}})
	decide := s.client(rex)
	for i := range 6 {
		card := shellCard(agent.RiskHigh, "ls")
		card.ToolCallID = "call"
		a := s.paused(ana, fmt.Sprint("chat ", i), card)
		s.clock.Advance(time.Duration(10*(i+1)) * time.Second) // 10 to 60 s, the middle two are 30 and 40
		verb := `{"decision":"approve","generation":1,"argsHash":"hash-of-args"}`
		if i == 5 {
			verb = `{"decision":"reject","comment":"no"}`
		}
		if got := decide.call("POST", "/api/v1/approvals/"+a.ID+"/decision", verb); got.status != http.StatusOK {
			t.Fatal(got.body)
		}
		if i < 2 { // two of the five approved ones were opened
			s.tamper(`INSERT INTO approval_looks (approval_id, user_id, email, first_at, last_at, opened) VALUES ('` + a.ID + `', '` + rex.ID + `', '', 1, 1, TRUE)`)
		}
	}
	card := s.paused(ana, "mine", shellCard(agent.RiskLow, "ls"))
	s.client(ana).call("POST", "/api/v1/approvals/"+card.ID+"/decision", `{"decision":"approve"}`)
	b.get("/admin/audit/mirror").check(t, want{status: http.StatusOK, has: []string{
		`<th scope="row">ana@example.com</th><td class="num" data-label="Decisions">1</td><td class="num" data-label="Median time">–</td><td class="num" data-label="Approved">–</td>`,
		`<th scope="row">rex@example.com</th><td class="num" data-label="Decisions">6</td><td class="num" data-label="Median time">35 s</td>` +
			`<td class="num" data-label="Approved">83%</td><td class="num" data-label="Not opened">60%</td><td class="num" data-label="Failed after approval">0</td>`,
		`<th scope="row">Everyone</th><td class="num" data-label="Decisions">7</td>`,
	}})
	b.get("/admin/audit/mirror?from=2020-01-01&to=2020-02-01").check(t, want{status: http.StatusOK, has: []string{"No decisions in this period"}})
	b.get("/admin/audit/mirror?from=2020-01-01").check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="from-error"`, "at most a year", "rex@example.com"}})
}

// TestReviewersSeeTheirOwnMirror: their own figures, nobody else's and no sum, which
// would tell those of the only other one.
func TestReviewersSeeTheirOwnMirror(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rex := s.user("ana@example.com", agent.RoleAdmin), s.user("rex@example.com", agent.RoleReviewer)
	bob := s.user("bob@example.com", agent.RoleUser)
	const mirror = "/admin/audit/mirror"
	reviewer := s.as(rex)
	reviewer.get(mirror).check(t, want{status: http.StatusOK, has: []string{"No decisions in this period", `href="` + mirror + `" aria-current="page"`}})
	for by, n := range map[agent.User]int{ana: 2, rex: 1} {
		for range n {
			a := s.paused(bob, "chat", shellCard(agent.RiskMedium, "ls"))
			s.client(by).call(http.MethodPost, "/api/v1/approvals/"+a.ID+"/decision", `{"decision":"reject"}`).check(t, want{status: http.StatusOK})
		}
	}
	reviewer.get(mirror).check(t, want{
		status: http.StatusOK, has: []string{"My decisions", `<th scope="row">rex@example.com</th><td class="num" data-label="Decisions">1</td>`},
		hasNot: []string{"ana@example.com", "Everyone", `href="/admin/audit"`},
	})
	s.as(bob).get(mirror).check(t, want{status: http.StatusForbidden, hasNot: []string{"rex@example.com"}})
}
