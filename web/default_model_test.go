package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// manyModels are more than a page shows.
type manyModels struct{ fixedModels }

func (manyModels) Models() []agent.ModelInfo {
	all := []agent.ModelInfo{{ID: "text-embedding-9", NoChat: true}}
	for i := range 1500 {
		all = append(all, agent.ModelInfo{ID: fmt.Sprintf("vendor/model-%04d", i)})
	}
	return append(all, agent.ModelInfo{ID: "vendor/opus-big"}, agent.ModelInfo{ID: "Vendor/Opus-Small"})
}

// undecided is a server on which no model is configured.
func undecided(o *web.Options) {
	o.DefaultModel, o.Outlet = "", &heldOutlet{}
}

// TestDefaultModelIsChosenOnce: no model is taken silently. A new chat asks an admin,
// once, and tells others whom to ask; a model that is named works all the same.
func TestDefaultModelIsChosenOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, undecided)
	ada, bob := s.user("ada@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	admin, user := s.as(ada), s.as(bob)
	ask := "Which model do new chats use?"
	admin.get("/").check(t, want{status: 200, has: []string{ask, `action="/admin/models/default"`, `<option value="" selected>Choose a model</option>`}})
	user.get("/").check(t, want{status: 200, has: []string{"ask an admin to choose the default one"}, hasNot: []string{ask, "/admin/models/default"}})
	user.post("/", form("content", "hello", "model", "")).check(t, want{status: 422, has: []string{"there is no default model yet"}})
	if got := user.post("/", form("content", "hello", "model", "demo")); got.status != http.StatusSeeOther {
		t.Errorf("a named model: %d", got.status)
	}
	c := s.client(bob)
	id := c.conversation()
	if got := c.call(http.MethodGet, "/api/v1/models", ""); strings.Contains(got.body, `"default":true`) {
		t.Errorf("a default was taken: %s", got.body)
	}
	user.post("/admin/models/default", form("model", "demo")).check(t, want{status: 403})
	admin.post("/admin/models/default", form("model", "")).check(t, want{status: 422, has: []string{"is not available here"}})
	admin.post("/admin/models/default", form("model", "local/<small>", "back", "chat")).check(t, want{status: http.StatusSeeOther, location: "/"})
	for _, b := range []*browser{admin, user} {
		b.get("/").check(t, want{status: 200, has: []string{`<option value="local/&lt;small&gt;" selected>`}, hasNot: []string{"no-default"}})
	}
	if got := c.call(http.MethodPost, "/api/v1/conversations/"+id+"/messages", `{"content":"hi"}`); got.status != http.StatusAccepted {
		t.Errorf("%d %s", got.status, got.body)
	}
	admin.get("/admin/models").check(t, want{status: 200, has: []string{"Default model", `<option value="local/&lt;small&gt;" selected>`}})
	admin.post("/admin/models/default", form("model", "demo")).check(t, want{status: http.StatusSeeOther, location: "/admin/models"})
	admin.get("/admin/audit").check(t, want{status: 200, has: []string{"setting.default_model"}})
}

// TestConfiguredDefaultModelStays: no page asks for it, and no one changes it.
func TestConfiguredDefaultModelStays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.as(s.user("ada@example.org", agent.RoleAdmin))
	admin.get("/").check(t, want{status: 200, hasNot: []string{"no-default"}})
	admin.get("/admin/models").check(t, want{status: 200, hasNot: []string{"/admin/models/default"}})
	admin.post("/admin/models/default", form("model", "local/<small>")).check(t, want{status: http.StatusConflict, has: []string{"FUSEBOX_MODEL"}})
}

// TestManyModelsAreSearched on the page and in the API; an error names those alone
// that come near.
func TestManyModelsAreSearched(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Models, o.DefaultModel = manyModels{}, "vendor/model-0001" })
	ada := s.user("ada@example.org", agent.RoleAdmin)
	admin, c := s.as(ada), s.client(ada)
	admin.get("/admin/models").check(t, want{status: 200, has: []string{"The first 200 of 1503", "text-embedding-9", "not for chats"}, hasNot: []string{"vendor/model-1400"}})
	admin.get("/admin/models?find=OPUS+vendor").check(t, want{status: 200, has: []string{"2 models", "vendor/opus-big", "Vendor/Opus-Small"}, hasNot: []string{"vendor/model-0002"}})
	admin.get("/").check(t, want{status: 200, has: []string{`list="chat-model-list"`, `<option value="vendor/model-1499">`, `value="vendor/model-0001"`}, hasNot: []string{"text-embedding-9"}})
	ids := func(path string) (found []string, next string) {
		var list struct {
			Items      []struct{ ID string }
			NextCursor string
		}
		got := c.call(http.MethodGet, path, "")
		if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != 200 {
			t.Fatalf("%s: %d %s", path, got.status, got.body)
		}
		for _, m := range list.Items {
			found = append(found, m.ID)
		}
		return found, list.NextCursor
	}
	if found, _ := ids("/api/v1/models"); len(found) != 1502 {
		t.Errorf("%d models", len(found))
	}
	if found, _ := ids("/api/v1/models?q=opus"); fmt.Sprint(found) != "[vendor/opus-big Vendor/Opus-Small]" {
		t.Errorf("found %v", found)
	}
	first, next := ids("/api/v1/models?q=model-149&limit=6")
	second, end := ids("/api/v1/models?q=model-149&limit=6&cursor=" + next)
	if len(first) != 6 || len(second) != 4 || second[3] != "vendor/model-1499" || end != "" {
		t.Errorf("%v, then %v and %q", first, second, end)
	}
	if got := c.call(http.MethodGet, "/api/v1/models?cursor=nope", ""); got.status != 400 {
		t.Errorf("%d %s", got.status, got.body)
	}
	got := c.call(http.MethodPost, "/api/v1/conversations", `{"model":"vendor/opus-bg"}`)
	if got.status != 422 || !strings.Contains(got.body, "vendor/opus-big") || strings.Count(got.body, "endor/") > 2*6 || len(got.body) > 1200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := c.call(http.MethodPost, "/api/v1/conversations", `{"model":"text-embedding-9"}`); got.status != 422 || !strings.Contains(got.body, "does not chat") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
