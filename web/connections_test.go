package web_test

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// heldOutlet is what models are reached through in tests: it remembers what was asked of it.
type heldOutlet struct {
	demo       string
	configured []string
	used       []agent.Connection
	// asked are the keys that were sent, by address.
	asked  map[string]string
	report agent.EndpointReport
}

func (o *heldOutlet) ConfiguredEndpoints() []string { return o.configured }

func (o *heldOutlet) DemoModel() string { return o.demo }

func (o *heldOutlet) UseConnections(_ context.Context, all []agent.Connection) error {
	o.used = all
	return nil
}

func (o *heldOutlet) InspectEndpoint(_ context.Context, c agent.Connection, key string, _ func([]string) string) agent.EndpointReport {
	if o.asked == nil {
		o.asked = map[string]string{}
	}
	o.asked[c.BaseURL] = key
	return o.report
}

// connecting is a site on which the demo model answers as long as nothing is connected.
func connecting(t *testing.T, o *heldOutlet) *site {
	t.Helper()
	return newSite(t, func(w *web.Options) { w.Outlet, w.DefaultModel = o, "" })
}

// TestEndpointIsConnectedByForms: a fault is told with its remedy, and the form keeps what
// was typed, the key sealed; the second try needs no key.
func TestEndpointIsConnectedByForms(t *testing.T) {
	t.Parallel()
	o := &heldOutlet{demo: "demo"}
	s := connecting(t, o)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	b.get("/").check(t, want{status: 200, has: []string{`href="/admin/models#connect"`}})
	b.get("/admin/models").check(t, want{status: 200, has: []string{"Connect a model", `id="connect"`, "the demo model answers"}, hasNot: []string{`id="endpoints"`}})
	b.get("/admin/models?connect=deepseek").check(t, want{status: 200, has: []string{`value="https://api.deepseek.com/v1"`, `value="deepseek"`, `aria-current="true"`}})
	const key = "sk-hidden-1"
	typed := func(more ...string) url.Values {
		return form(append([]string{"baseUrl", "https://api.deepseek.com/v1/chat/completions", "name", "far", "do", "save"}, more...)...)
	}
	o.report = agent.EndpointReport{Fault: agent.FaultKey, Said: "The model server rejected the API key (401)."}
	refused := b.post("/admin/models/endpoints", typed("key", key))
	refused.check(t, want{status: 422, has: []string{
		"accept this key", "rejected the API key (401)", `name="draft"`, "Save anyway", "https://api.deepseek.com/v1/chat/completions",
	}, hasNot: []string{key}})
	b.get("/admin/models").check(t, want{status: 200, hasNot: []string{"far"}})
	draft := regexp.MustCompile(`name="draft" value="([^"]+)"`).FindStringSubmatch(refused.body)[1]

	o.report = agent.EndpointReport{Models: []string{"m"}, Asked: "m", Answer: agent.Check{OK: true}}
	b.post("/admin/models/endpoints", form("baseUrl", "https://evil.example/v1", "name", "far", "draft", draft, "do", "test")).
		check(t, want{status: 422, has: []string{"was typed for another address"}})
	b.post("/admin/models/endpoints", typed("draft", draft, "do", "test")).check(t, want{status: 200, has: []string{"It works: 1 model for chats, and m answers."}})
	if len(o.used) != 0 {
		t.Error("a test has saved")
	}
	if got := b.post("/admin/models/endpoints", typed("draft", draft)); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if o.asked["https://api.deepseek.com/v1"] != key || o.asked["https://evil.example/v1"] != "" {
		t.Errorf("keys went to %v", o.asked)
	}
	o.demo = "" // as the outlet does
	page := b.get("/admin/models")
	page.check(t, want{status: 200, has: []string{"far", "https://api.deepseek.com/v1", "With a key.", "ada@example.org", "Connect another endpoint", "Default model"}, hasNot: []string{key}})
	if len(o.used) != 1 || o.used[0].SealedKey == "" || strings.Contains(o.used[0].SealedKey, key) {
		t.Errorf("used %+v", o.used)
	}
	for _, path := range []string{"/admin/audit?action=endpoint", "/admin/models?edit=far"} {
		b.get(path).check(t, want{status: 200, has: []string{"far"}, hasNot: []string{key, o.used[0].SealedKey}})
	}
}

// TestFieldsOfAnEndpoint: each refusal names its field and what to do.
func TestFieldsOfAnEndpoint(t *testing.T) {
	t.Parallel()
	o := &heldOutlet{configured: []string{"", "theirs"}}
	s := newSite(t, func(w *web.Options) { w.Outlet, w.Models = o, manyModels{} })
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	c := s.client(s.user("eve@example.org", agent.RoleAdmin))
	for name, row := range map[string]struct{ baseURL, name, key, field, said string }{
		"no address":         {"", "x", "", "baseUrl", "is empty"},
		"no scheme":          {"api.example.com/v1", "x", "", "baseUrl", "must begin with http"},
		"another scheme":     {"ftp://a.example/v1", "x", "", "baseUrl", "must begin with http"},
		"no host":            {"https:///v1", "x", "", "baseUrl", "name a host"},
		"a password":         {"https://u:secret@a.example/v1", "x", "", "baseUrl", "leave out the user"},
		"a fragment":         {"https://a.example/v1#x", "x", "", "baseUrl", "leave out the user"},
		"a key in the query": {"https://a.example/v1?key=secret", "x", "", "baseUrl", "leave out ?key=…"},
		"a long address":     {"https://a.example/" + strings.Repeat("x", 600), "x", "", "baseUrl", "too long"},
		"no name":            {"https://a.example/v1", "", "", "name", "use up to 40 letters"},
		"a slash":            {"https://a.example/v1", "a/b", "", "name", "use up to 40 letters"},
		"Chinese":            {"https://a.example/v1", "模型", "", "name", "use up to 40 letters"},
		"a long name":        {"https://a.example/v1", strings.Repeat("n", 41), "", "name", "use up to 40 letters"},
		"a configured name":  {"https://a.example/v1", "theirs", "", "name", "the configuration has an endpoint named theirs"},
		"models of others":   {"https://a.example/v1", "vendor", "", "name", "models of another endpoint begin with vendor/"},
		"a key with a break": {"https://a.example/v1", "x", "sk-a\nsk-b", "key", "paste the key alone"},
		"a key in words":     {"https://a.example/v1", "x", "Bearer sk-a", "key", "paste the key alone"},
		"a long key":         {"https://a.example/v1", "x", strings.Repeat("k", 4001), "key", "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.post("/admin/models/endpoints", form("baseUrl", row.baseURL, "name", row.name, "key", row.key, "do", "save"))
			got.check(t, want{status: 422, has: []string{"Nothing was saved", "field-error", html.EscapeString(row.said)}, hasNot: []string{"sk-a"}})
			body, err := json.Marshal(map[string]string{"name": row.name, "baseUrl": row.baseURL, "key": row.key})
			s.ok(err)
			if got := c.call(http.MethodPost, "/api/v1/endpoints", string(body)); got.status != 422 || !strings.Contains(got.body, `"field":"`+row.field+`"`) {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

// TestEndpointsByAPI: a program tests an endpoint, connects, changes, and removes it, and
// chooses the default model.
func TestEndpointsByAPI(t *testing.T) {
	t.Parallel()
	o := &heldOutlet{}
	s := connecting(t, o)
	c := s.client(s.user("eve@example.org", agent.RoleAdmin))
	const far = `{"name":"far","baseUrl":"http://10.0.0.1/v1","key":"k"}`
	o.report = agent.EndpointReport{Models: []string{"m"}, Fault: agent.FaultKey, Said: "Refused.", Better: "http://10.0.0.1/v1", Asked: "m", Answer: agent.Check{Problem: "No."}}
	c.call(http.MethodPost, "/api/v1/endpoints", far).check(t, want{status: http.StatusCreated, has: []string{`"version":1`}})
	c.call(http.MethodPost, "/api/v1/endpoints/test", strings.Replace(far, "}", `,"version":1}`, 1)).check(t, want{status: 200, has: []string{`"ok":false`, `"said":"Refused."`, `"models":["m"]`, `"asked":"m"`}})
	c.call(http.MethodPatch, "/api/v1/endpoints/far", `{"baseUrl":"http://10.0.0.1/v2","key":"other","version":1}`).check(t, want{status: 200, has: []string{`"version":2`, "/v2"}})
	c.call(http.MethodPatch, "/api/v1/endpoints/far", `{"baseUrl":"http://10.0.0.1/v3"}`).check(t, want{status: 422, has: []string{`"field":"version"`}})
	c.call(http.MethodPut, "/api/v1/models/default", `{"model":"demo"}`).check(t, want{status: http.StatusNoContent})
	c.call(http.MethodDelete, "/api/v1/endpoints/far", "").check(t, want{status: 422, has: []string{`"field":"version"`}})
	c.call(http.MethodDelete, "/api/v1/endpoints/far?version=1", "").check(t, want{status: 409})
	c.call(http.MethodDelete, "/api/v1/endpoints/far?version=2", "").check(t, want{status: http.StatusNoContent})
}

// TestTwoAdminsAndAnEndpoint: the later one is told who was first, and what it is now.
func TestTwoAdminsAndAnEndpoint(t *testing.T) {
	t.Parallel()
	o := &heldOutlet{report: agent.EndpointReport{Models: []string{"m"}, Answer: agent.Check{OK: true}}}
	s := connecting(t, o)
	ada, bob := s.as(s.user("ada@example.org", agent.RoleAdmin)), s.as(s.user("bob@example.org", agent.RoleAdmin))
	c := s.client(s.user("eve@example.org", agent.RoleAdmin))
	if got := c.call(http.MethodPost, "/api/v1/endpoints", `{"name":"far","baseUrl":"http://10.0.0.1/v1","key":"sk-hidden-1"}`); got.status != http.StatusCreated ||
		strings.Contains(got.body, "sk-hidden") || !strings.Contains(got.body, `"hasKey":true`) || !strings.Contains(got.body, `"version":1`) {
		t.Fatalf("%d %s", got.status, got.body)
	}
	bob.post("/admin/models/endpoints", form("baseUrl", "http://10.0.0.2/v1", "name", "far", "do", "save")).check(t, want{status: 409, has: []string{"There is an endpoint named far already."}})
	change := func(b *browser, version, path string) answer {
		return b.post("/admin/models/endpoints/far", form("baseUrl", "http://10.0.0.1/"+path, "version", version, "do", "save"))
	}
	change(ada, "1", "a").check(t, want{status: http.StatusSeeOther, location: "/admin/models"})
	change(bob, "1", "b").check(t, want{status: 409, has: []string{
		"ada@example.org has changed this endpoint meanwhile", "it is at http://10.0.0.1/a now", `name="version" value="2"`, `value="http://10.0.0.1/b"`,
	}})
	if got := c.call(http.MethodPatch, "/api/v1/endpoints/far", `{"baseUrl":"http://10.0.0.1/c","version":1}`); got.status != 409 {
		t.Errorf("%d %s", got.status, got.body)
	}
	bob.post("/admin/models/endpoints/far/remove", form("version", "1")).check(t, want{status: 409, has: []string{"has changed this endpoint meanwhile"}})
	change(bob, "2", "b").check(t, want{status: http.StatusSeeOther, location: "/admin/models"})
	if o.asked["http://10.0.0.1/b"] != "sk-hidden-1" {
		t.Errorf("the key was not kept: %v", o.asked)
	}
	for _, patch := range []string{`{"baseUrl":"http://10.0.0.9/v1","version":3}`, `{"baseUrl":"https://10.0.0.1/v1","version":3}`, `{"baseUrl":"http://10.0.0.1:81/v1","version":3}`} {
		if got := c.call(http.MethodPatch, "/api/v1/endpoints/far", patch); got.status != 422 || !strings.Contains(got.body, "goes nowhere else") {
			t.Errorf("%s: %d %s", patch, got.status, got.body)
		}
	}
	if got := c.call(http.MethodPost, "/api/v1/endpoints/test", `{"name":"far","baseUrl":"http://10.0.0.9/v1","version":3}`); got.status != 422 || o.asked["http://10.0.0.9/v1"] != "" {
		t.Errorf("%d %s, asked %v", got.status, got.body, o.asked)
	}
	if got := c.call(http.MethodPatch, "/api/v1/endpoints/far", `{"key":"","version":3}`); got.status != 200 || !strings.Contains(got.body, `"hasKey":false`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.ok(s.db.SetSetting(t.Context(), "x", agent.DefaultModelKey, "far/m"))
	ada.post("/admin/models/endpoints/far/remove", form("version", "4")).check(t, want{status: http.StatusSeeOther, location: "/admin/models"})
	if chosen, err := s.db.Setting(t.Context(), agent.DefaultModelKey); chosen != "" || err != nil {
		t.Errorf("the default model is %q, %v", chosen, err)
	}
	for path, f := range map[string]url.Values{"": form("baseUrl", "http://10.0.0.1/v1"), "/test": nil, "/remove": form("version", "4")} {
		bob.post("/admin/models/endpoints/far"+path, f).check(t, want{status: 404, has: []string{"Somebody else has removed this endpoint"}})
	}
	if got := c.call(http.MethodGet, "/api/v1/endpoints", ""); strings.Contains(got.body, "far") {
		t.Errorf("listed: %s", got.body)
	}
	if len(o.used) != 1 || !o.used[0].Removed || o.used[0].SealedKey != "" {
		t.Errorf("kept %+v", o.used)
	}
	if got := c.call(http.MethodPost, "/api/v1/endpoints", `{"name":"far","baseUrl":"http://10.0.0.1/v1"}`); got.status != http.StatusCreated || !strings.Contains(got.body, `"version":6`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestEndpointsOfTheConfigurationStay: they are shown and not changed, and a connected
// one of the same name is said to be of no use.
func TestEndpointsOfTheConfigurationStay(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Outlet = &heldOutlet{configured: []string{"", "local"}} })
	s.ok(s.db.AddConnection(t.Context(), agent.Viewer{Email: "ada@example.org"}, agent.Connection{Name: "local", BaseURL: "http://10.0.0.1/v1"}))
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	b.get("/admin/models").check(t, want{status: 200, has: []string{
		"Set in the configuration; change it there.", "The configuration has an endpoint of the same name", `action="/admin/models/endpoints/local/remove"`,
		"Set in the configuration: -model or FUSEBOX_MODEL.",
	}, hasNot: []string{`href="/admin/models?edit=local"`, `action="/admin/models/default"`}})
	c := s.client(s.user("eve@example.org", agent.RoleAdmin))
	got := c.call(http.MethodGet, "/api/v1/endpoints", "")
	var list struct {
		Items []struct {
			Name             string
			Configured, Used bool
		}
	}
	s.ok(json.Unmarshal([]byte(got.body), &list))
	if len(list.Items) != 3 || !list.Items[1].Configured || list.Items[2].Configured || list.Items[2].Used {
		t.Errorf("%s", got.body)
	}
	if got := c.call(http.MethodPut, "/api/v1/models/default", `{"model":"demo"}`); got.status != 409 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
