package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// expects is api.call with a status that has to come.
func (a api) expects(status int, method, path, body string) string {
	a.t.Helper()
	got, text := a.call(method, path, body)
	if got != status {
		a.t.Fatalf("%s %s: %d %s, want %d", method, path, got, text, status)
	}
	return string(text)
}

// tells reports which of some texts a folder has in its files.
func tells(t *testing.T, folder, text string) (files []string) {
	t.Helper()
	must(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// TestEndpointIsConnectedInUse: an endpoint that is connected answers at once and after a
// restart, the demo model does not any more, and both are turned by its removal. Its key
// goes to it alone, and is nowhere to be read.
func TestEndpointIsConnectedInUse(t *testing.T) {
	t.Parallel()
	const key = "sk-connected-1"
	far, data := newEndpoint(t), t.TempDir()
	p := startProgram(t, data, append(withAdmin(), atOnce)...)
	a := p.admin()
	first, run := a.ask("What is 6*7?")
	if got := a.rests(run); got["model"] != "demo" {
		t.Fatalf("run is %v", got)
	}
	a.expects(http.StatusConflict, "PUT", "/api/v1/models/default", `{"model":"demo"}`)

	typed := fmt.Sprintf(`{"name":"far","baseUrl":%q,"key":%q}`, far.URL, key)
	if got := a.expects(200, "POST", "/api/v1/endpoints/test", typed); !strings.Contains(got, `"fault":"address"`) || !strings.Contains(got, fmt.Sprintf(`"better":%q`, far.URL+"/v1")) {
		t.Errorf("without /v1: %s", got)
	}
	typed = fmt.Sprintf(`{"name":"far","baseUrl":%q,"key":%q}`, far.URL+"/v1/", key)
	if got := a.expects(200, "POST", "/api/v1/endpoints/test", typed); !strings.Contains(got, `"ok":true`) || !strings.Contains(got, `"answer":{"ok":true}`) {
		t.Errorf("with /v1: %s", got)
	}
	a.expects(http.StatusCreated, "POST", "/api/v1/endpoints", typed)
	if models := a.expects(200, "GET", "/api/v1/models", ""); !strings.Contains(models, `"far/demo"`) || strings.Contains(models, `"id":"demo"`) {
		t.Errorf("offered %s", models)
	}
	a.expects(http.StatusNoContent, "PUT", "/api/v1/models/default", `{"model":"far/demo"}`)
	second, run := a.ask("What is 6*7?")
	if got := a.rests(run); got["status"] != "finished" || got["model"] != "far/demo" {
		t.Fatalf("run is %v", got)
	}
	if got := a.rests(a.post(first, "What is 6*8?")); got["status"] != "finished" || got["model"] != "demo" {
		t.Errorf("a chat of the demo model: %v", got)
	}
	far.mu.Lock()
	if len(far.keys) != 1 || !far.keys["Bearer "+key] {
		t.Errorf("sent %v", far.keys)
	}
	far.mu.Unlock()

	p.kill()
	p2 := startProgram(t, data, append(withAdmin(), atOnce)...)
	a.url = p2.url
	if got := a.rests(a.post(second, "What is 6*9?")); got["status"] != "finished" || got["model"] != "far/demo" {
		t.Errorf("after a restart: %v", got)
	}
	if got := a.expects(200, "GET", "/api/v1/endpoints", ""); !strings.Contains(got, `"hasKey":true`) || strings.Contains(got, key) {
		t.Errorf("listed %s", got)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	administer(t, data, "backup", copied)
	for _, folder := range []string{data, filepath.Dir(copied)} {
		if files := tells(t, folder, key); len(files) > 0 {
			t.Errorf("the key is in %v", files)
		}
	}
	secret, err := os.ReadFile(filepath.Join(data, "secret.key"))
	must(t, err)
	if files := tells(t, filepath.Dir(copied), string(secret)); len(files) > 0 {
		t.Errorf("what opens the key is in %v", files)
	}

	a.expects(http.StatusNoContent, "DELETE", "/api/v1/endpoints/far?version=1", "")
	if got := a.rests(a.post(second, "go on")); got["status"] != "failed" || !strings.Contains(fmt.Sprint(ofType(a.events(second, 0), "error")), "was removed here; choose another model") {
		t.Errorf("a chat of what was removed: %v %v", got, ofType(a.events(second, 0), "error"))
	}
	if _, run := a.ask("What is 6*7?"); a.rests(run)["model"] != "demo" {
		t.Error("the demo model does not answer again")
	}
	a.expects(200, "PATCH", "/api/v1/conversations/"+second, `{"model":"demo"}`)
	if got := a.rests(a.post(second, "What is 6*7?")); got["status"] != "finished" {
		t.Errorf("with another model: %v", got)
	}
	audit := a.expects(200, "GET", "/api/v1/audit?action=endpoint", "")
	for _, action := range []string{"endpoint.connect", "endpoint.remove"} {
		if !strings.Contains(audit, action) || strings.Contains(audit, key) {
			t.Errorf("audited %s", audit)
		}
	}
	if log := p.log.String() + p2.log.String(); strings.Contains(log, key) {
		t.Error("the key is logged")
	}
}

// TestConfigurationIsTheMaster: an endpoint of the configuration takes the place of a
// connected one of its name, and the name of its own is refused to others.
func TestConfigurationIsTheMaster(t *testing.T) {
	t.Parallel()
	mine, theirs, data := newEndpoint(t), newEndpoint(t), t.TempDir()
	p := startProgram(t, data, append(withAdmin(), atOnce)...)
	a := p.admin()
	for _, name := range []string{"far", "near"} {
		a.expects(http.StatusCreated, "POST", "/api/v1/endpoints", fmt.Sprintf(`{"name":%q,"baseUrl":%q,"key":"sk-mine"}`, name, mine.URL+"/v1"))
	}
	p.kill()
	file := writeConfig(t, fmt.Sprintf("[[providers]]\nname = \"far\"\nbase_url = \"%s/v1\"\nkey_env = \"KEY\"\n", theirs.URL))
	p = startProgram(t, data, append(withAdmin(), "FUSEBOX_CONFIG="+file, "KEY=sk-theirs", "FUSEBOX_MODEL=far/demo")...)
	a.url = p.url
	listed := a.expects(200, "GET", "/api/v1/endpoints", "")
	for _, has := range []string{`"configured":true,"used":true`, `"configured":false,"used":false`, `"configured":false,"used":true`} {
		if strings.Count(listed, has) != 1 {
			t.Errorf("not once %s: %s", has, listed)
		}
	}
	a.expects(http.StatusConflict, "PUT", "/api/v1/models/default", `{"model":"near/demo"}`)
	for _, model := range []string{"far/demo", "near/demo"} {
		id := a.must("POST", "/api/v1/conversations", `{"model":"`+model+`"}`)["id"].(string)
		if got := a.rests(a.post(id, "What is 6*7?")); got["status"] != "finished" || got["model"] != model {
			t.Errorf("%s: %v", model, got)
		}
	}
	for e, key := range map[*endpoint]string{mine: "Bearer sk-mine", theirs: "Bearer sk-theirs"} {
		e.mu.Lock()
		if len(e.keys) != 1 || !e.keys[key] {
			t.Errorf("sent %v, want %s alone", e.keys, key)
		}
		e.mu.Unlock()
	}
}

// TestLostKeyFileIsTold: a database on another machine has endpoints without their keys,
// says so, and takes them again.
func TestLostKeyFileIsTold(t *testing.T) {
	t.Parallel()
	far, data := newEndpoint(t), t.TempDir()
	p := startProgram(t, data, append(withAdmin(), atOnce)...)
	a := p.admin()
	a.expects(http.StatusCreated, "POST", "/api/v1/endpoints", fmt.Sprintf(`{"name":"far","baseUrl":%q,"key":"sk-old"}`, far.URL+"/v1"))
	p.kill()
	must(t, os.Remove(filepath.Join(data, "secret.key")))
	p = startProgram(t, data, append(withAdmin(), atOnce)...)
	a.url = p.url
	if got := a.expects(200, "GET", "/api/v1/endpoints", ""); !strings.Contains(got, "has a key that cannot be read on this machine") {
		t.Errorf("listed %s", got)
	}
	if got := a.expects(422, "POST", "/api/v1/endpoints/test", `{"name":"far"}`); !strings.Contains(got, "type it again") {
		t.Errorf("tested %s", got)
	}
	a.expects(200, "PATCH", "/api/v1/endpoints/far", `{"key":"sk-new","version":1}`)
	id := a.must("POST", "/api/v1/conversations", `{"model":"far/demo"}`)["id"].(string)
	if got := a.rests(a.post(id, "What is 6*7?")); got["status"] != "finished" {
		t.Errorf("run is %v", got)
	}
	far.mu.Lock()
	defer far.mu.Unlock()
	if !far.keys["Bearer sk-new"] || far.keys[""] {
		t.Errorf("sent %v", far.keys)
	}
}
