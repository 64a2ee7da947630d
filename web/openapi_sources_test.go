package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// heldService is a service one operation of which has changed. Accepting it, and uploading,
// leave it as it is.
type heldService struct{}

func (heldService) OpenAPISources() []agent.OpenAPISource {
	return []agent.OpenAPISource{
		{
			Name: "generic_repeat", URL: "http://127.0.0.1:9/api", State: agent.ServerChanged, Title: "Desk <b>one</b>", Version: "1.2", Document: "desk.yaml",
			Uploads: true, UploadedBy: "ada@example.org", UploadedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Seen: "seen1",
			Tools: []agent.ServerTool{
				{Name: "desk__list_tickets", Description: "Lists."},
				{
					Name: "desk__add_note", Description: "Adds, and <b>tells\u200b</b>.", Parameters: json.RawMessage(`{"type":"object"}`), Claims: json.RawMessage(`{"method":"PUT"}`), Held: true,
					Was: &agent.KnownTool{Description: "Adds.", Parameters: json.RawMessage(`{"type":"object"}`), Claims: json.RawMessage(`{"method":"POST"}`), AcceptedBy: agent.System},
				},
			},
			LeftOut: []agent.LeftOut{{Operation: "attach", Why: "its body is multipart/form-data"}},
		},
		{Name: "filed", URL: "http://127.0.0.1:9", State: agent.ServerFailed, Problem: "its document cannot be opened", Tools: []agent.ServerTool{}, LeftOut: []agent.LeftOut{}},
		{Name: "fresh", URL: "http://127.0.0.1:9", State: agent.ServerEmpty, Uploads: true, Tools: []agent.ServerTool{}, LeftOut: []agent.LeftOut{}},
	}
}

func (s heldService) AcceptOpenAPI(_ context.Context, _ agent.Viewer, name, seen string) (agent.OpenAPISource, error) {
	switch {
	case name != "generic_repeat":
		return agent.OpenAPISource{}, agent.Errorf(agent.NotFound, "There is no such OpenAPI service.")
	case seen != "" && seen != "seen1":
		return agent.OpenAPISource{}, agent.Errorf(agent.Conflict, "The tools have changed again.")
	}
	return s.OpenAPISources()[0], nil
}

func (s heldService) UploadOpenAPI(_ context.Context, v agent.Viewer, name string, d agent.OpenAPIDocument) (agent.OpenAPISource, error) {
	switch {
	case name == "filed":
		return agent.OpenAPISource{}, agent.Errorf(agent.Conflict, "The document of filed is a file of the configuration. Change it there.")
	case name != "generic_repeat":
		return agent.OpenAPISource{}, agent.Errorf(agent.NotFound, "There is no such OpenAPI service.")
	case string(d.Body) != "openapi: 3.0.3" || v.Email != "ada@example.org":
		return agent.OpenAPISource{}, agent.InvalidField("file", "is not <valid>")
	}
	return s.OpenAPISources()[0], nil
}

// TestOpenAPISources: admins see what each service offers, what is held back, and what is left
// out; they accept exactly that, and upload documents.
func TestOpenAPISources(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.user("ada@example.org", agent.RoleAdmin)
	admin := s.as(ada)
	admin.get("/admin/tools").check(t, want{status: 200, has: []string{
		`id="openapi-generic_repeat"`, "Desk &lt;b&gt;one&lt;/b&gt; 1.2", "desk.yaml", "uploaded by ada@example.org", "1 tool is offered", "desk__add_note", "As it was accepted", "&#34;POST&#34;", "&#34;PUT&#34;",
		"1 operation is left out", "its body is multipart/form-data", `action="/admin/tools/openapi/generic_repeat/document"`, "no document", "It has no document yet", "its document cannot be opened",
	}, hasNot: []string{"<b>tells", "\u200b", `action="/admin/tools/openapi/filed/document"`}})
	const page = "/admin/tools/openapi/"
	admin.post(page+"generic_repeat/accept", form("seen", "older")).check(t, want{status: http.StatusConflict, has: []string{"The tools have changed again."}})
	admin.post(page+"generic_repeat/accept", form("seen", "seen1")).check(t, want{status: http.StatusSeeOther, location: "/admin/tools#openapi-generic_repeat"})
	admin.send(page+"generic_repeat/document", "desk.yaml", "openapi: 3.0.3").check(t, want{status: http.StatusSeeOther, location: "/admin/tools#openapi-generic_repeat"})
	admin.send(page+"generic_repeat/document", "bad.yaml", "x").check(t, want{status: http.StatusUnprocessableEntity, has: []string{"bad.yaml was not taken: it is not &lt;valid&gt;."}})
	admin.send(page+"generic_repeat/document", "big.yaml", strings.Repeat("x", agent.MaxOpenAPIDocument+1)).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"more than 4 MB"}})
	admin.send(page+"filed/document", "desk.yaml", "openapi: 3.0.3").check(t, want{status: http.StatusConflict, has: []string{"Change it there."}})
	eve := s.as(s.user("eve@example.org", agent.RoleReviewer))
	eve.send(page+"generic_repeat/document", "desk.yaml", "openapi: 3.0.3").check(t, want{status: http.StatusForbidden})
	eve.send("/api/v1/openapi/sources/generic_repeat/document", "desk.yaml", "openapi: 3.0.3").check(t, want{status: http.StatusForbidden})

	script := s.client(ada)
	const api = "/api/v1/openapi/sources"
	script.call("GET", api, "").check(t, want{status: 200, has: []string{`"state":"changed"`, `"leftOut":[{"operation":"attach"`, `"uploadedAt":"2026-01-02T03:04:05Z"`}})
	script.call("POST", api+"/generic_repeat/accept", `{"seen":"older"}`).check(t, want{status: http.StatusConflict})
	script.call("POST", api+"/generic_repeat/accept", "").check(t, want{status: 200, has: []string{`"name":"generic_repeat"`}})
	script.call("POST", api+"/generic_repeat/accept", `{"seen":"seen1"}`).check(t, want{status: 200})
	script.call("POST", api+"/nope/accept", "").check(t, want{status: http.StatusNotFound})
	upload := func(name, text string) answer {
		body, kind := fileForm("desk.yaml", text)
		return script.call("POST", api+"/"+name+"/document", body.String(), "Content-Type", kind)
	}
	upload("generic_repeat", "openapi: 3.0.3").check(t, want{status: 200, has: []string{`"name":"generic_repeat"`}})
	upload("generic_repeat", "x").check(t, want{status: http.StatusUnprocessableEntity, has: []string{`"field":"file"`}})
	upload("filed", "openapi: 3.0.3").check(t, want{status: http.StatusConflict})
	upload("nope", "openapi: 3.0.3").check(t, want{status: http.StatusNotFound})
	upload("generic_repeat", strings.Repeat("x", 6<<20)).check(t, want{status: http.StatusRequestEntityTooLarge})
}
