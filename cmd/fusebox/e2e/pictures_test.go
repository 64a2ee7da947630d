package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/tools/mcp/mcptest"
)

// pictured is a result with pictures, as programs see it.
type pictured struct {
	Content string
	RunID   string
	Images  []struct {
		Name, Type string
		Bytes      int
	}
}

// picturesOf are the results of a run.
func (h *instance) picturesOf(t *testing.T, run string) (all []pictured) {
	t.Helper()
	_, raw := h.ana.call("GET", "/api/v1/conversations/"+h.conversationOf[run]+"/messages", "")
	var list struct {
		Items []struct {
			Role string
			pictured
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Items {
		if m.Role == "tool" {
			all = append(all, m.pictured)
		}
	}
	return all
}

func photoOf(of string, n int) asked {
	return asked{"mad__photo", fmt.Sprintf(`{"of":%q,"n":%d}`, of, n)}
}

// TestPicturesInResults: a picture in a result is kept and told of in one line, whatever way
// a server sends it; what only claims to be one, or is too much, is told of alone.
func TestPicturesInResults(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	for of, row := range map[string]struct {
		says   string
		images int
	}{
		"png":            {"look:\n[image/png, ", 1},
		"jpeg":           {"look:\n[image/jpeg, 2 KB, shown to the person]", 1},
		"gif":            {"look:\n[image/gif, ", 1},
		"webp":           {"look:\n[image/webp, 44 bytes, shown to the person]", 1},
		"a resource":     {"[image/png, ", 1},
		"many":           {"not shown: a result may have 8 images]", 8},
		"too large":      {"[image/png, 4", 0},
		"too wide":       {"not shown: it has too many pixels]", 0},
		"svg":            {"[image image/svg+xml, 71 bytes]", 0},
		"html":           {"[image image/png, 38 bytes]", 0},
		"a data address": {"![chart]([image/png, ", 1},
		"JSON":           {`{"type":"image","data":"[image/png, `, 1},
		"JSON of PHP":    {`shown to the person]","ok":true}`, 1},
		"lines":          {"base64\n\n[image/png, ", 1},
		"a document":     {"saved: [application/pdf, 3 KB, left out]", 0},
		"a key":          {"token: q83vEjRWeJq83v", 0},
	} {
		t.Run(of, func(t *testing.T) {
			h := h.as(t)
			run := h.asks(t, []asked{photoOf(of, 9)})
			got := h.picturesOf(t, run)
			if len(got) != 1 || !strings.Contains(got[0].Content, row.says) || len(got[0].Images) != row.images {
				t.Fatalf("%+v", got)
			}
			if of != "a key" && (strings.Contains(h.model.last(t.Name()), "AAAAAAAA") || len(got[0].Content) > 1000) {
				t.Errorf("the model reads %q", got[0].Content)
			}
		})
	}
}

// TestPicturesAreServed: those who see the conversation see its pictures, over restarts and
// until it is deleted; nobody else does, and nothing else is served.
func TestPicturesAreServed(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	_, _, _ = fusebox(t, h.data, adminPassword+"\n", "user", "add", "--email", "bo@example.org", "--role", "user", "--password-stdin")
	run := h.asks(t, []asked{photoOf("png", 1)}, []asked{photoOf("png", 1), photoOf("png", 1), photoOf("jpeg", 2)})
	got := h.picturesOf(t, run)
	if len(got) != 4 || len(got[0].Images) != 1 || len(got[2].Images) != 1 || len(got[3].Images) != 1 || got[0].Images[0] != got[1].Images[0] || got[1].Images[0] != got[2].Images[0] {
		t.Fatalf("%+v", got)
	}
	path := "/api/v1/runs/" + run + "/images/"
	name := got[0].Images[0].Name
	h.restart(t)
	h.sourcesReady(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path+name, nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+h.ana.token)
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	must(t, res.Body.Close())
	for header, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
		"Content-Disposition": "inline; filename=" + name,
	} {
		if res.StatusCode != http.StatusOK || res.Header.Get(header) != want {
			t.Errorf("%d %s: %q", res.StatusCode, header, res.Header.Get(header))
		}
	}
	bo := api{t, h.url, h.token("bo@example.org")}
	for what, row := range map[string]struct {
		who    api
		path   string
		status int
	}{
		"the owner":            {h.ana, path + name, http.StatusOK},
		"an admin":             {h.root(), path + name, http.StatusOK},
		"another person":       {bo, path + name, http.StatusNotFound},
		"a reviewer of others": {h.rex, path + name, http.StatusNotFound},
		"nobody":               {api{t, h.url, ""}, path + name, http.StatusUnauthorized},
		"another name":         {h.ana, path + strings.Repeat("0", 32) + ".png", http.StatusNotFound},
		"a way out":            {h.ana, path + "..%2f..%2f..%2ffusebox.db", http.StatusNotFound},
	} {
		if status, _ := row.who.call("GET", row.path, ""); status != row.status {
			t.Errorf("%s: %d, want %d", what, status, row.status)
		}
	}
	shown := `src="` + path + name + `"`
	for _, page := range []string{"/c/" + h.conversationOf[run], "/runs/" + run} {
		if html := h.ana.page(t, page); strings.Count(html, shown) != 3 || !strings.Contains(html, `alt="Image of mad__photo: image/png, `) {
			t.Errorf("%s shows the picture %d times", page, strings.Count(html, shown))
		}
	}
	if log := fmt.Sprint(h.ana.events(h.conversationOf[run], 0)); strings.Count(log, "name:"+name) != 6 {
		t.Errorf("the log names the picture %d times", strings.Count(log, "name:"+name))
	}
	h.ana.must("DELETE", "/api/v1/conversations/"+h.conversationOf[run], "")
	if status, _ := h.ana.call("GET", path+name, ""); status != http.StatusNotFound {
		t.Errorf("after the chat was deleted: %d", status)
	}
}

// TestPicturesForModelsThatSee: they get the pictures behind the results, as the person's;
// others read that the person was shown them. A file of the workspace is seen, too.
func TestPicturesForModelsThatSee(t *testing.T) {
	t.Parallel()
	far, url := startModel(t)
	h := startConfigured(t, fmt.Sprintf(`
[[providers]]
name = "far"
base_url = %q

[[providers.models]]
name = "scripted"
vision = true

[[providers.models]]
name = "qwen2.5-vl"

[[providers.models]]
name = "blind"
`, url))
	for model, sees := range map[string]bool{"scripted": false, "far/scripted": true, "far/qwen2.5-vl": true, "far/blind": false} {
		t.Run(model, func(t *testing.T) {
			h := h.as(t)
			if strings.HasPrefix(model, "far/") {
				h.model = far
			}
			conversation := h.ana.must("POST", "/api/v1/conversations", fmt.Sprintf(`{"model":%q}`, model))["id"].(string)
			h.ana.sendsFile("/api/v1/conversations/"+conversation+"/files", "map.png", string(mcptest.Picture("png", 3)))
			h.model.plays(t.Name(), []asked{photoOf("jpeg", 1), photoOf("a resource", 2), {"read_file", `{"path":"map.png"}`}}, []asked{photoOf("gif", 1)})
			run := h.ana.post(conversation, t.Name())
			h.conversationOf[run] = conversation
			h.ana.rests(run)
			if got := h.picturesOf(t, run); len(got) != 4 || len(got[2].Images) != 1 || !strings.Contains(got[2].Content, "[image/png, ") {
				t.Fatalf("%+v", got)
			}
			var sent struct {
				Messages []struct {
					Role    string
					Content json.RawMessage
				}
			}
			must(t, json.Unmarshal([]byte(h.model.last(t.Name())), &sent))
			var roles []string
			for _, m := range sent.Messages {
				roles = append(roles, fmt.Sprint(m.Role, " ", strings.Count(string(m.Content), `"image_url":`)))
			}
			want := "system 0, user 0, assistant 0, tool 0, tool 0, tool 0, assistant 0, tool 0"
			if sees {
				want = "system 0, user 0, assistant 0, tool 0, tool 0, tool 0, user 3, assistant 0, tool 0, user 1"
				address := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(mcptest.Picture("jpeg", 1))
				if !strings.Contains(string(sent.Messages[6].Content), address) {
					t.Errorf("it does not see the picture: %.300s", sent.Messages[6].Content)
				}
			}
			if got := strings.Join(roles, ", "); got != want {
				t.Errorf("it is sent %s", got)
			}
		})
	}
}

// TestPicturesOfOtherSources: services and commands show pictures, too, and a card about a
// loop has those of its calls.
func TestPicturesOfOtherSources(t *testing.T) {
	t.Parallel()
	h := startWithSources(t)
	run := h.asks(t, slices.Repeat([][]asked{{{"pages__chart", `{}`}}, {{"ticket_chart", `{}`}}}, 30)...)
	got := h.picturesOf(t, run)
	if len(got) < 2 || len(got[0].Images) != 1 || got[0].Content != "[image/png, 118 bytes, shown to the person]" {
		t.Fatalf("a service shows %+v", got)
	}
	if len(got[1].Images) != 1 || !strings.Contains(got[1].Content, `<img src="[image/gif, 43 bytes, shown to the person]">`) {
		t.Errorf("a command shows %+v", got[1])
	}
	card := h.card(t, run)
	for _, picture := range []string{got[0].Images[0].Name, got[1].Images[0].Name} {
		path := "/api/v1/runs/" + run + "/images/" + picture
		if page := h.rex.page(t, "/approvals/"+card["id"].(string)); !strings.Contains(page, `src="`+path+`"`) {
			t.Errorf("the card does not show %s", picture)
		}
		if status, _ := h.rex.call("GET", path, ""); status != http.StatusOK {
			t.Errorf("who decides does not see it: %d", status)
		}
	}
}
