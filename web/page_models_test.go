package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// TestModelsPage: endpoints with what is wrong with them, models with what is
// known of them, and the report of a test.
func TestModelsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Outlet = &heldOutlet{configured: []string{"", "local"}} })
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	b.get("/admin/models").check(t, want{status: 200, has: []string{
		`href="/admin/models" aria-current="page"`, "http://127.0.0.1:2/v1", "could not be reached", "unavailable", "128k", `<td data-label="Input">$1.00</td><td data-label="Cached">$0.50</td><td data-label="Output">$2.00</td>`, "no price</span> Its cost isn’t counted, and hard spending budgets block it.",
		"local/&lt;small&gt;", "tools without streaming", "thinking",
	}, hasNot: []string{"local/<small>", `id="report"`}})
	b.post("/admin/models/test", form("model", "demo")).check(t, want{status: 200, has: []string{
		"Test of demo", "First chunk after 120 ms, full response after 1.5 s", "did not call the tool", "The endpoint reports token usage.",
	}})
	b.post("/admin/models/test", form("model", "nope")).check(t, want{status: 422, has: []string{"nope", "is not available here; allowed: demo"}})

	c := s.client(s.user("eve@example.org", agent.RoleAdmin))
	got := c.call(http.MethodPost, "/api/v1/models/test", `{"model":"demo"}`)
	var report struct {
		LatencyMS int64
		Tools     agent.Check
		Streaming agent.Check
	}
	s.ok(json.Unmarshal([]byte(got.body), &report))
	if report.LatencyMS != 120 || report.Tools.OK || report.Tools.Problem == "" || !report.Streaming.OK {
		t.Errorf("report %s", got.body)
	}
	if got := c.call(http.MethodGet, "/api/v1/models", ""); !strings.Contains(got.body, `"contextWindow":128000`) || !strings.Contains(got.body, `"default":true`) {
		t.Errorf("models %s", got.body)
	}
}

// TestModelOfAChat is changed in its menu; one that is not offered is refused,
// one that is not offered any more may stay.
func TestModelOfAChat(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.user("bob@example.org", agent.RoleUser)
	c, b := s.client(u), s.as(u)
	id := c.conversation()
	save := func(model, output string) answer {
		return b.post("/c/"+id+"/settings", form("title", "mine", "mode", "default", "model", model, "output", output))
	}
	save("local/<small>", "sentence").check(t, want{status: http.StatusSeeOther, location: "/c/" + id})
	if got := c.call(http.MethodGet, "/api/v1/conversations/"+id, ""); !strings.Contains(got.body, `"outputMode":"sentence"`) || !strings.Contains(got.body, `local/`) {
		t.Errorf("conversation %s", got.body)
	}
	save("nope", "").check(t, want{status: 422, has: []string{"is not available here"}})
	save("local/<small>", "loud").check(t, want{status: 422, has: []string{"allowed: token, sentence, whole"}})
	gone := "gone"
	_, err := s.db.UpdateConversation(t.Context(), u.Viewer(), id, agent.ConversationPatch{Model: &gone})
	s.ok(err)
	b.get("/c/"+id).check(t, want{status: 200, has: []string{`<option value="gone" selected>`, `<option value="demo">`}})
	save("gone", "").check(t, want{status: http.StatusSeeOther, location: "/c/" + id})
	if got := c.call(http.MethodPatch, "/api/v1/conversations/"+id, `{"outputMode":"loud"}`); got.status != 422 || !strings.Contains(got.body, `"field":"outputMode"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestOutputModeOnTheSettingsPage: the mode applies to all chats that set none.
func TestOutputModeOnTheSettingsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.user("bob@example.org", agent.RoleUser)
	b := s.as(u)
	b.get("/settings/appearance").check(t, want{status: 200, has: []string{`<option value="" selected>Server default`, "By sentence"}})
	b.post("/settings/appearance", form("output", "whole")).check(t, want{status: http.StatusSeeOther, location: "/settings/appearance"})
	b.get("/settings/appearance").check(t, want{status: 200, has: []string{`<option value="whole" selected>`, "Saved."}})
	b.post("/settings/appearance", form("output", "loud")).check(t, want{status: 422, has: []string{"allowed: token, sentence, whole"}})
}

// TestRawRequestsPage shows what was recorded, as text and nothing else.
func TestRawRequestsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.as(s.user("ada@example.org", agent.RoleAdmin))
	run := s.started(s.user("bob@example.org", agent.RoleUser), "raw")
	admin.get("/runs/"+run.ID+"/raw").check(t, want{status: 200, has: []string{"provider.raw_log = true"}})
	admin.get("/runs/"+run.ID).check(t, want{status: 200, has: []string{`href="/runs/` + run.ID + `/raw"`}})
	for _, x := range []agent.Exchange{
		{ID: "x1", RunID: run.ID, At: s.clock.Now(), URL: "http://e/v1/chat/completions", Request: `{"a":"<script>"}`, Status: 200, Response: "data: <b>"},
		{ID: "x2", RunID: run.ID, At: s.clock.Now(), URL: "http://e/v1/chat/completions", Error: "connection refused"},
	} {
		s.ok(s.db.AddExchange(t.Context(), x))
	}
	admin.get("/runs/"+run.ID+"/raw").check(t, want{status: 200, has: []string{
		"&lt;script&gt;", "data: &lt;b&gt;", "no response", "connection refused",
	}, hasNot: []string{"<script>\"", "data: <b>"}})
}

// TestRawRequestsAreBounded: the newest exchanges of a run stay.
func TestRawRequestsAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	run := s.started(s.user("bob@example.org", agent.RoleUser), "raw")
	big := strings.Repeat("x", 1<<20)
	for i := range 12 {
		s.ok(s.db.AddExchange(t.Context(), agent.Exchange{ID: string(rune('a' + i)), RunID: run.ID, At: s.clock.Now(), Request: big, Status: 200}))
	}
	list, err := s.db.Exchanges(t.Context(), run.ID)
	s.ok(err)
	if len(list) != 8 || list[7].ID != "l" {
		t.Errorf("%d exchanges are kept", len(list))
	}
}

// TestTryAgainOnThePage: a failed run offers it to its owner, and a click leads
// back to the chat, where the new run goes on.
func TestTryAgainOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.user("bob@example.org", agent.RoleUser)
	run := s.started(u, "again")
	run.Status, run.StopReason, run.EndedAt = agent.StatusFailed, agent.StopProviderError, s.clock.Now()
	s.append(run, agent.Change{Run: run, Events: []agent.Event{
		{Data: agent.ErrorEvent{Message: "The model is down.", ErrorType: "provider_error", Retryable: true}},
		{Data: agent.Finish{Status: run.Status, StopReason: run.StopReason}},
	}})
	b, path := s.as(u), "/runs/"+run.ID+"/again"
	b.get("/c/"+run.ConversationID).check(t, want{status: 200, has: []string{`action="` + path + `"`, "Try again", "already done will run again"}})
	b.post(path, nil).check(t, want{status: http.StatusSeeOther, location: "/c/" + run.ConversationID})
	b.post(path, nil).check(t, want{status: http.StatusConflict})
	c := s.client(u)
	if got := c.call(http.MethodPost, "/api/v1"+path, ""); got.status != http.StatusConflict {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestPins: the owner pins a person's message, by page and by API.
func TestPins(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.user("bob@example.org", agent.RoleUser)
	run := s.started(u, "pin")
	events, err := s.db.Events(t.Context(), run.ConversationID, 0, 1)
	s.ok(err)
	id := events[0].Data.(agent.MessageEvent).Message.ID
	b, path := s.as(u), "/c/"+run.ConversationID+"/messages/"+id+"/pin"
	b.get("/c/"+run.ConversationID).check(t, want{status: 200, has: []string{`action="` + path + `"`, ">Pin</button>"}, hasNot: []string{"aria-pressed"}})
	b.post(path, form("pinned", "true")).check(t, want{status: http.StatusSeeOther, location: "/c/" + run.ConversationID + "?message=" + id + "#m-" + id})
	b.get("/c/"+run.ConversationID).check(t, want{status: 200, has: []string{">Unpin</button>"}, hasNot: []string{"aria-pressed"}})
	c := s.client(u)
	if got := c.call(http.MethodPut, "/api/v1/conversations/"+run.ConversationID+"/messages/"+id+"/pin", `{"pinned":false}`); got.status != http.StatusNoContent {
		t.Errorf("%d %s", got.status, got.body)
	}
	b.get("/c/"+run.ConversationID).check(t, want{status: 200, has: []string{">Pin</button>"}})
	other := s.as(s.user("eve@example.org", agent.RoleUser))
	other.get("/login")
	other.post(path, form("pinned", "true")).check(t, want{status: 404})
}
