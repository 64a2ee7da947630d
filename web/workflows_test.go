package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/web"
)

// articleBody is a workflow as a program makes it.
const articleBody = `{"name":"article","purpose":" Writes\nan article. ","kind":"parallel","join":"some","count":1,
	"inputs":[{"name":"topic","label":"Topic","required":true},{"name":"words","type":"integer"},{"name":"long","type":"boolean"},{"name":"share","type":"number"}],
	"steps":[
		{"name":"facts","agent":"scout","task":" Find.\r\nCite. ","outputs":{"found":"boolean"},"retries":1,"fallback":"scribe"},
		{"name":"draft","agent":"scribe","task":"Write.","needs":["facts"]},
		{"person":"choose","task":"Which one?","options":["a","b"],"needs":["facts","draft"]}]}`

// withAgents makes the agents that articleBody names.
func withAgents(t *testing.T, admin client) {
	t.Helper()
	for _, name := range []string{"scout", "scribe"} {
		admin.call("POST", "/api/v1/agents", strings.Replace(scoutBody, "scout", name, 1)).check(t, want{status: http.StatusCreated, location: "/api/v1/agents/" + name})
	}
}

// TestWorkflowsOverTheAPI: an admin makes, changes, and deletes a workflow; each change is a
// version that can be read afterwards, by everybody.
func TestWorkflowsOverTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, user := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("ben@example.org", agent.RoleUser))
	withAgents(t, admin)
	const path = "/api/v1/workflows"
	user.call("GET", path, "").check(t, want{status: http.StatusOK, has: []string{`{"items":[]}`}})
	res := admin.call("POST", path, articleBody)
	res.check(t, want{status: http.StatusCreated, location: path + "/article"})
	made := decoded[agent.Workflow](t, res, 201)
	wanted := agent.Workflow{
		Name: "article", Purpose: "Writes an article.", Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 1,
		Inputs: []agent.WorkflowInput{{Name: "topic", Label: "Topic", Required: true}, {Name: "words", Type: "integer"}, {Name: "long", Type: "boolean"}, {Name: "share", Type: "number"}},
		Steps: []agent.WorkflowStep{
			{Name: "facts", Agent: "scout", Task: "Find.\nCite.", Outputs: map[string]string{"found": "boolean"}, Retries: 1, Fallback: "scribe"},
			{Name: "draft", Agent: "scribe", Task: "Write.", Needs: []string{"facts"}},
			{Person: agent.PersonChooses, Task: "Which one?", Options: []string{"a", "b"}, Needs: []string{"facts", "draft"}},
		},
		Version: 1, Source: agent.AgentByAdmin, UpdatedBy: "ada@example.org", UpdatedAt: agent.Stamp(s.clock),
	}
	if diff := cmp.Diff(wanted, made); diff != "" {
		t.Error(diff)
	}
	if all := decoded[struct{ Items []agent.Workflow }](t, user.call("GET", path, ""), 200).Items; !cmp.Equal(all, []agent.Workflow{made}) {
		t.Errorf("all are %v", all)
	}
	const loop = `"purpose":"Writes.","kind":"loop","rounds":4,"accept":"good","steps":[{"agent":"scout","task":"Write."},{"agent":"scribe","task":"Review.","needs":[]}]`
	changed := decoded[agent.Workflow](t, admin.call("PUT", path+"/article", `{"name":"article",`+loop+`,"version":1}`), 200)
	if changed.Version != 2 || changed.Rounds != 4 || changed.Accept != "good" || changed.Steps[0].Needs != nil || changed.Steps[1].Needs == nil || changed.Join != "" {
		t.Errorf("changed into %+v", changed)
	}
	if old := decoded[agent.Workflow](t, user.call("GET", path+"/article?version=1", ""), 200); !cmp.Equal(old, made) {
		t.Errorf("the first version is %v", old)
	}
	best := decoded[agent.Workflow](t, admin.call("PUT", path+"/article", `{"purpose":"p","kind":"parallel","join":"best","judge":"scout","steps":[{"agent":"scout","task":"t"},{"agent":"scribe","task":"t"}],"version":2}`), 200)
	if best.Version != 3 || best.Judge != "scout" {
		t.Errorf("with a judge it is %+v", best)
	}
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		has                      string
	}{
		{"a name that is taken", "POST", "", articleBody, 409, "There is a workflow named article already."},
		{"a version of a new one", "POST", "", `{"name":"new",` + loop + `,"version":1}`, 422, `"field":"version"`},
		{"a bad name", "POST", "", `{"name":"New one",` + loop + `}`, 422, `"field":"name"`},
		{"an unknown agent", "POST", "", `{"name":"new","purpose":"p","kind":"sequence","steps":[{"agent":"scout","task":"t"},{"agent":"nobody","task":"t"}]}`, 422, `"field":"steps[1].agent"`},
		{"an unknown fallback", "POST", "", `{"name":"new","purpose":"p","kind":"sequence","steps":[{"agent":"scout","task":"t","fallback":"nobody"}]}`, 422, `"field":"steps[0].fallback"`},
		{"an unknown judge", "POST", "", `{"name":"new","purpose":"p","kind":"parallel","join":"best","judge":"nobody","steps":[{"agent":"scout","task":"t"}]}`, 422, `"field":"judge"`},
		{"an unknown kind", "POST", "", `{"name":"new","purpose":"p","kind":"chain","steps":[{"agent":"scout","task":"t"}]}`, 422, `"field":"kind"`},
		{"an unknown need", "POST", "", `{"name":"new","purpose":"p","kind":"sequence","steps":[{"agent":"scout","task":"t","needs":["x"]}]}`, 422, `"field":"steps[0].needs"`},
		{"an unknown field", "POST", "", `{"name":"new","purpose":"p","kind":"sequence","steps":[{"agent":"scout","task":"t","money":1}]}`, 400, `money`},
		{"an old version", "PUT", "/article", `{` + loop + `,"version":2}`, 409, "its newest version is 3"},
		{"no version", "PUT", "/article", `{` + loop + `}`, 422, `"field":"version"`},
		{"another name", "PUT", "/article", `{"name":"other",` + loop + `,"version":3}`, 422, `"field":"name"`},
		{"nothing", "PUT", "/nothing", `{` + loop + `,"version":3}`, 404, "There is no workflow named nothing."},
		{"nothing", "GET", "/nothing", "", 404, "There is no workflow named nothing."},
		{"no such version", "GET", "/article?version=9", "", 404, "There is no workflow named article."},
		{"not a version", "GET", "/article?version=new", "", 400, `"field":"version"`},
		{"nothing", "DELETE", "/nothing", "", 404, "There is no workflow named nothing."},
	} {
		if got := admin.call(tc.method, path+tc.path, tc.body); got.status != tc.status || !strings.Contains(got.body, tc.has) {
			t.Errorf("%s: %d %s, want %d with %s", tc.name, got.status, got.body, tc.status, tc.has)
		}
	}
	for method, at := range map[string]string{"POST": path, "PUT": path + "/article", "DELETE": path + "/article"} {
		user.call(method, at, articleBody).check(t, want{status: http.StatusForbidden})
	}
	admin.call("DELETE", path+"/article", "").check(t, want{status: http.StatusNoContent})
	user.call("GET", path+"/article", "").check(t, want{status: http.StatusNotFound})
	if again := decoded[agent.Workflow](t, admin.call("POST", path, articleBody), 201); again.Version != 4 {
		t.Errorf("made again it has the version %d", again.Version)
	}
}

// TestConfiguredWorkflowsStay: what the configuration says is changed there, and the answer says so.
func TestConfiguredWorkflowsStay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("ada@example.org", agent.RoleAdmin))
	withAgents(t, admin)
	step := []agent.WorkflowStep{{Agent: "scout", Task: "Look."}}
	s.ok(s.db.SeedWorkflows(t.Context(),
		[]agent.Workflow{{Name: "tour", Purpose: "Looks.", Kind: agent.FlowHierarchy, Steps: step}}, []agent.Workflow{
			{Name: "talk", Purpose: "Talks.", Kind: agent.FlowMesh, Join: agent.JoinAll, Steps: step}, {Name: "free", Purpose: "Leads.", Kind: agent.FlowDynamic, Steps: step},
		}))
	admin.call("GET", "/api/v1/workflows", "").check(t, want{status: http.StatusOK, has: []string{`"source":"configuration"`, `"source":"shipped"`}, hasNot: []string{"updatedBy"}})
	for method, body := range map[string]string{"PUT": `{"purpose":"p","kind":"sequence","steps":[{"agent":"scout","task":"t"}],"version":1}`, "DELETE": ""} {
		admin.call(method, "/api/v1/workflows/tour", body).check(t, want{status: http.StatusConflict, has: []string{"Change the table [workflows.tour] there"}})
	}
}

// TestWorkflowOfAChat: a conversation or a message has a workflow in the place of an agent, with
// what is filled in for it; what a message fills in goes before that of the conversation.
func TestWorkflowOfAChat(t *testing.T) {
	t.Parallel()
	var last agent.NewMessage
	s := newSite(t, func(o *web.Options) { o.Messages.Store = heardMessages{o.Messages.Store, &last} })
	admin, user := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("ben@example.org", agent.RoleUser))
	withAgents(t, admin)
	admin.call("POST", "/api/v1/workflows", articleBody).check(t, want{status: http.StatusCreated, location: "/api/v1/workflows/article"})
	const path = "/api/v1/conversations"
	for field, body := range map[string]string{
		"workflow":     `{"workflow":"nothing"}`,
		"workflow\"":   `{"workflow":"article","agent":"scout"}`,
		"inputs":       `{"inputs":{"topic":"tea"}}`,
		"inputs.other": `{"workflow":"article","inputs":{"other":"tea"}}`,
		"inputs.topic": `{"workflow":"article","inputs":{"topic":5}}`,
		"inputs.words": `{"workflow":"article","inputs":{"words":5.5}}`,
	} {
		user.call("POST", path, body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"` + field}})
	}
	c := decoded[agent.Conversation](t, user.call("POST", path, `{"workflow":"article","inputs":{"words":200}}`), 201)
	if c.Workflow != "article" || string(c.Inputs["words"]) != "200" {
		t.Errorf("the workflow is %q with %s", c.Workflow, c.Inputs)
	}
	plain := decoded[agent.Conversation](t, user.call("POST", path, `{"agent":"scout"}`), 201)
	for body, field := range map[string]string{
		`{"content":"Hi"}`:                                            `"field":"inputs.topic"`,
		`{"content":"Hi","workflow":"nothing"}`:                       `"field":"workflow"`,
		`{"content":"Hi","workflow":"article","agent":"scout"}`:       `"field":"workflow"`,
		`{"content":"Hi","agent":"scout","inputs":{"topic":"tea"}}`:   `"field":"inputs"`,
		`{"content":"Hi","inputs":{"topic":"tea","words":"many"}}`:    `"field":"inputs.words"`,
		`{"content":"Hi","workflow":"article","inputs":{"topic":""}}`: `"field":"inputs.topic"`,
	} {
		user.call("POST", path+"/"+c.ID+"/messages", body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{field}})
	}
	done := decoded[agent.Enqueued](t, user.call("POST", path+"/"+c.ID+"/messages", `{"content":"Hi","inputs":{"topic":"tea","long":true}}`), 202)
	if last.Workflow != "article" || last.WorkflowVersion != 1 || last.Agent != "" || string(agent.MustJSON(last.WorkflowInputs)) != `{"long":true,"topic":"tea","words":200}` {
		t.Errorf("the run has %q %d by %q with %s", last.Workflow, last.WorkflowVersion, last.Agent, last.WorkflowInputs)
	}
	user.call("GET", "/api/v1/runs/"+done.RunID, "").check(t, want{status: http.StatusOK, has: []string{`"workflow":{"name":"article","version":1,"steps":[{"id":"facts","agent":"scout","state":"waiting","needs":[],"runs":[],"tries":0,"costMicros":0}`}})
	user.call("POST", path+"/"+plain.ID+"/messages", `{"content":"Hi","workflow":"article","inputs":{"topic":"tea"}}`).check(t, want{status: http.StatusAccepted})
	if last.Workflow != "article" || last.Agent != "" {
		t.Errorf("the message is answered by %q and %q", last.Workflow, last.Agent)
	}
	user.call("PATCH", path+"/"+c.ID, `{"agent":"scout"}`).check(t, want{status: http.StatusOK, has: []string{`"agent":"scout"`, `"workflow":""`}, hasNot: []string{"words"}})
	user.call("PATCH", path+"/"+c.ID, `{"workflow":"article"}`).check(t, want{status: http.StatusOK, has: []string{`"agent":""`, `"workflow":"article"`}})
	admin.call("DELETE", "/api/v1/workflows/article", "").check(t, want{status: http.StatusNoContent})
	user.call("GET", path+"/"+c.ID, "").check(t, want{status: http.StatusOK, has: []string{`"workflow":""`, `"deletedWorkflow":"article"`}})
}
