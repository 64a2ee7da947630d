package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// scoutBody is an agent as a program makes it.
const scoutBody = `{"name":"scout","purpose":" Looks\naround. ","instructions":"Look.\r\nTell.\n","model":"local/<small>","tools":["run_shell"],"mode":"auto_edit",
	"limits":{"max_steps":6,"durationMs":60000,"tokens":7,"costMicros":8}}`

// TestAgentsOverTheAPI: an admin makes, changes, and deletes an agent; each change is a
// version that can be read afterwards, by everybody.
func TestAgentsOverTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, user := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("ben@example.org", agent.RoleUser))
	const path = "/api/v1/agents"
	user.call("GET", path, "").check(t, want{status: http.StatusOK, has: []string{`{"items":[]}`}})
	res := admin.call("POST", path, scoutBody)
	res.check(t, want{status: http.StatusCreated, location: path + "/scout"})
	made := decoded[agent.Agent](t, res, 201)
	wanted := agent.Agent{
		Name: "scout", Purpose: "Looks around.", Instructions: "Look.\nTell.", Model: "local/<small>", Tools: []string{"run_shell"}, Mode: agent.ModeAutoEdit,
		Limits:  agent.AgentLimits{Steps: 6, DurationMS: 60_000, Tokens: 7, CostMicros: 8},
		Version: 1, Source: agent.AgentByAdmin, UpdatedBy: "ada@example.org", UpdatedAt: agent.Stamp(s.clock),
	}
	if diff := cmp.Diff(wanted, made); diff != "" {
		t.Error(diff)
	}
	if all := decoded[struct{ Items []agent.Agent }](t, user.call("GET", path, ""), 200).Items; !cmp.Equal(all, []agent.Agent{made}) {
		t.Errorf("all are %v", all)
	}
	changed := decoded[agent.Agent](t, admin.call("PUT", path+"/scout", `{"name":"scout","purpose":"Looks.","instructions":"Look.","tools":[],"mode":"","limits":{"steps":3},"version":1}`), 200)
	if changed.Version != 2 || changed.Tools == nil || len(changed.Tools) != 0 || changed.Model != "" || changed.Limits != (agent.AgentLimits{Steps: 3}) {
		t.Errorf("changed into %+v", changed)
	}
	if old := decoded[agent.Agent](t, user.call("GET", path+"/scout?version=1", ""), 200); !cmp.Equal(old, made) {
		t.Errorf("the first version is %v", old)
	}
	if all := decoded[agent.Agent](t, admin.call("PUT", path+"/scout", `{"purpose":"Looks.","instructions":"Look.","version":2}`), 200); all.Version != 3 || all.Tools != nil {
		t.Errorf("with all tools it is %+v", all)
	}
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		has                      string
	}{
		{"a name that is taken", "POST", "", scoutBody, 409, "There is an agent named scout already."},
		{"a version of a new one", "POST", "", `{"name":"new","purpose":"p","instructions":"i","version":1}`, 422, `"field":"version"`},
		{"a bad name", "POST", "", `{"name":"New one","purpose":"p","instructions":"i"}`, 422, `"field":"name"`},
		{"an unknown model", "POST", "", `{"name":"new","purpose":"p","instructions":"i","model":"none"}`, 422, `"field":"model"`},
		{"two numbers of steps", "POST", "", `{"name":"new","purpose":"p","instructions":"i","limits":{"steps":1,"max_steps":2}}`, 422, `"field":"limits.max_steps"`},
		{"an unknown limit", "POST", "", `{"name":"new","purpose":"p","instructions":"i","limits":{"money":2}}`, 400, `"field":"limits.money"`},
		{"an old version", "PUT", "/scout", `{"purpose":"p","instructions":"i","version":2}`, 409, "its newest version is 3"},
		{"no version", "PUT", "/scout", `{"purpose":"p","instructions":"i"}`, 422, `"field":"version"`},
		{"another name", "PUT", "/scout", `{"name":"spy","purpose":"p","instructions":"i","version":3}`, 422, `"field":"name"`},
		{"nobody", "PUT", "/nobody", `{"purpose":"p","instructions":"i","version":3}`, 404, "There is no agent named nobody."},
		{"nobody", "GET", "/nobody", "", 404, "There is no agent named nobody."},
		{"no such version", "GET", "/scout?version=9", "", 404, "There is no agent named scout."},
		{"not a version", "GET", "/scout?version=new", "", 400, `"field":"version"`},
		{"nobody", "DELETE", "/nobody", "", 404, "There is no agent named nobody."},
	} {
		if got := admin.call(tc.method, path+tc.path, tc.body); got.status != tc.status || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %d with %s", tc.name, got.status, got.body, tc.status, tc.has)
		}
	}
	for method, at := range map[string]string{"POST": path, "PUT": path + "/scout", "DELETE": path + "/scout"} {
		user.call(method, at, scoutBody).check(t, want{status: http.StatusForbidden})
	}
	admin.call("DELETE", path+"/scout", "").check(t, want{status: http.StatusNoContent})
	user.call("GET", path+"/scout", "").check(t, want{status: http.StatusNotFound})
	user.call("GET", path+"/scout?version=2", "").check(t, want{status: http.StatusOK, has: []string{`"version":2`}})
	if again := decoded[agent.Agent](t, admin.call("POST", path, scoutBody), 201); again.Version != 4 {
		t.Errorf("made again it has the version %d", again.Version)
	}
}

// TestConfiguredAgentsStay: what the configuration says is changed there, and the answer says so.
func TestConfiguredAgentsStay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	configured := agent.Agent{Name: "scout", Purpose: "Looks.", Instructions: "Look."}
	shipped := agent.Agent{Name: "writer", Purpose: "Writes.", Instructions: "Write."}
	s.ok(s.db.SeedAgents(t.Context(), []agent.Agent{configured}, []agent.Agent{shipped}))
	admin.call("GET", "/api/v1/agents", "").check(t, want{status: http.StatusOK, has: []string{`"source":"configuration"`, `"source":"shipped"`}, hasNot: []string{"updatedBy"}})
	for method, body := range map[string]string{"PUT": `{"purpose":"p","instructions":"i","version":1}`, "DELETE": ""} {
		admin.call(method, "/api/v1/agents/scout", body).check(t, want{status: http.StatusConflict, has: []string{"Change the table [agents.scout] there"}})
	}
}

// heardMessages notes the message that came last.
type heardMessages struct {
	service.MessageStore
	last *agent.NewMessage
}

func (h heardMessages) Enqueue(ctx context.Context, m agent.NewMessage) (agent.Enqueued, error) {
	*h.last = m
	return h.MessageStore.Enqueue(ctx, m)
}

// TestAgentOfAChat: a conversation has an agent, and a message may have another one. One
// that was deleted is none.
func TestAgentOfAChat(t *testing.T) {
	t.Parallel()
	var last agent.NewMessage
	s := newSite(t, func(o *web.Options) { o.Messages.Store = heardMessages{o.Messages.Store, &last} })
	admin, user := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("ben@example.org", agent.RoleUser))
	for _, name := range []string{"scout", "scribe"} {
		admin.call("POST", "/api/v1/agents", strings.Replace(scoutBody, "scout", name, 1)).check(t, want{status: http.StatusCreated, location: "/api/v1/agents/" + name})
	}
	const path = "/api/v1/conversations"
	for _, body := range []string{`{"agent":"nobody"}`, `{"agent":"Scout"}`} {
		user.call("POST", path, body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"agent"`, "there is no agent named"}})
	}
	c := decoded[agent.Conversation](t, user.call("POST", path, `{"agent":"scout"}`), 201)
	plain := decoded[agent.Conversation](t, user.call("POST", path, `{}`), 201)
	if c.Agent != "scout" || plain.Agent != "" {
		t.Errorf("the agents are %q and %q", c.Agent, plain.Agent)
	}
	say := func(id, body, wanted string) {
		t.Helper()
		user.call("POST", path+"/"+id+"/messages", body).check(t, want{status: http.StatusAccepted})
		if last.Agent != wanted {
			t.Errorf("%s is answered by %q, want %q", body, last.Agent, wanted)
		}
	}
	user.call("POST", path+"/"+c.ID+"/messages", `{"content":"Hi","agent":"nobody"}`).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"agent"`}})
	say(c.ID, `{"content":"Hi"}`, "scout")
	say(plain.ID, `{"content":"Hi","agent":"scribe"}`, "scribe")
	user.call("PATCH", path+"/"+plain.ID, `{"agent":"scribe"}`).check(t, want{status: http.StatusOK, has: []string{`"agent":"scribe"`}, hasNot: []string{"deletedAgent"}})
	admin.call("DELETE", "/api/v1/agents/scribe", "").check(t, want{status: http.StatusNoContent})
	user.call("GET", path+"/"+plain.ID, "").check(t, want{status: http.StatusOK, has: []string{`"agent":""`, `"deletedAgent":"scribe"`}})
	user.call("PATCH", path+"/"+plain.ID, `{"agent":""}`).check(t, want{status: http.StatusOK, has: []string{`"agent":""`}, hasNot: []string{"deletedAgent"}})
}
