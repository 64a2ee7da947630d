package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a folder with a disk of its own, and a file that takes what is left of it.
func smallDisk(t *testing.T, size string) (folder string, fill func(), empty func()) {
	t.Helper()
	folder = t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("skipped: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	filler := filepath.Join(folder, "filler")
	return folder, func() {
		t.Helper()
		if err := os.WriteFile(filler, make([]byte, 64<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("the disk is not full: %v", err)
		}
	}, func() { must(t, os.Remove(filler)) }
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	must(t, err)
	return string(body)
}

// TestFullDiskTakesNoMessages: while the disk is full, messages, new chats, and uploads are
// answered with 507 and the sentence of /readyz, through the API and on pages, which keep the
// text. Nothing of them is stored, and the same message is taken once there is room.
func TestFullDiskTakesNoMessages(t *testing.T) {
	t.Parallel()
	data, fill, empty := smallDisk(t, "32m")
	model, at := startModel(t)
	p := startProgram(t, data, "OPENAI_BASE_URL="+at, "FUSEBOX_MODEL=scripted")
	p.expectError(`The disk with the (database|files|documents) is full`)
	t.Cleanup(p.kill) // before its disk goes
	ana := p.admin()
	chat, run := ana.ask("before")
	ana.rests(run)
	site := newOutsider(t, p.url, strings.TrimPrefix(p.url, "http://"), "127.0.0.1")
	site.must(http.StatusSeeOther, "POST", "/login", url.Values{"email": {adminEmail}, "password": {adminPassword}}.Encode(), "Content-Type", formType)
	upload := func(size int) (body, kind string) {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		part, _ := form.CreateFormFile("file", "a.txt") // a buffer takes everything
		_, _ = part.Write(bytes.Repeat([]byte("x"), size))
		must(t, form.Close())
		return b.String(), form.FormDataContentType()
	}
	file, kind := upload(1 << 20)
	large, largeKind := upload(24 << 20)
	asks := func(text string) string {
		raw, _ := json.Marshal(map[string]string{"content": text, "clientId": "sent-again"}) // two strings
		return string(raw)
	}
	form := url.Values{"content": {"typed on <a page>"}, "client_id": {"page"}}.Encode()
	const sentence = "The disk with the database is full: 0 MB are left, at least 8 MB are needed."
	api := "/api/v1/conversations/" + chat
	doors := map[string]struct{ method, path, body, kind, has string }{
		"a message":              {"POST", api + "/messages", asks("written while it is full"), "application/json", sentence},
		"a new chat":             {"POST", "/api/v1/conversations", `{}`, "application/json", sentence},
		"an upload":              {"POST", api + "/files", file, kind, sentence},
		"a message from a page":  {"POST", "/c/" + chat + "/messages", form, formType, "typed on &lt;a page&gt;</textarea>"},
		"a new chat from a page": {"POST", "/", form, formType, "typed on &lt;a page&gt;</textarea>"},
		"an upload from a page":  {"POST", "/c/" + chat + "/files", file, kind, sentence},
	}

	must(t, os.WriteFile(filepath.Join(data, "half"), make([]byte, 10<<20), 0o600))
	res := site.do("POST", api+"/files", large, "Content-Type", largeKind)
	if said := bodyOf(t, res); res.StatusCode != http.StatusInsufficientStorage || !strings.Contains(said, "The disk with the files is full") {
		t.Errorf("a file that the disk has no room for: %d %s", res.StatusCode, said)
	}
	fill()
	for name, door := range doors {
		res := site.do(door.method, door.path, door.body, "Content-Type", door.kind)
		said := bodyOf(t, res)
		if res.StatusCode != http.StatusInsufficientStorage || !strings.Contains(said, sentence) || !strings.Contains(said, door.has) {
			t.Errorf("%s: %d %s", name, res.StatusCode, said)
		}
	}
	for _, path := range []string{"/api/v1/documents", "/documents"} {
		res := site.do("POST", path, large, "Content-Type", largeKind)
		if said := bodyOf(t, res); res.StatusCode != http.StatusInsufficientStorage || !strings.Contains(said, "The disk with the documents is full") {
			t.Errorf("%s: %d %s", path, res.StatusCode, said)
		}
	}
	if said := bodyOf(t, site.do("POST", "/c/"+chat+"/messages", form, "Content-Type", formType, "Accept-Language", "zh")); !strings.Contains(said, "数据库所在的磁盘已满：剩余 0 MB") {
		t.Errorf("in Chinese: %s", said)
	}
	empty()

	if list := ana.must("GET", "/api/v1/documents", "")["items"].([]any); len(list) != 0 {
		t.Errorf("%d documents", len(list))
	}
	if list := ana.must("GET", api+"/files", ""); list["usedBytes"] != 0.0 {
		t.Errorf("files: %v", list)
	}
	if list := ana.must("GET", "/api/v1/conversations", "")["items"].([]any); len(list) != 1 {
		t.Errorf("%d chats", len(list))
	}
	run = ana.must("POST", api+"/messages", asks("written while it is full"))["runId"].(string)
	if again := ana.must("POST", api+"/messages", asks("written while it is full")); again["runId"] != run {
		t.Errorf("sent twice: %v", again)
	}
	if v := ana.rests(run); v["status"] != "finished" || model.requests("written while it is full") != 1 {
		t.Errorf("with room: %v after %d calls", v["status"], model.requests("written while it is full"))
	}
}

// TestBrowserFullDisk: who writes while the disk is full reads why nothing was sent, and their
// text stays in the field, in a new chat, in an old one, and after a reload.
func TestBrowserFullDisk(t *testing.T) {
	needsBrowser(t)
	data, fill, empty := smallDisk(t, "32m")
	p := startProgram(t, data, "FUSEBOX_DEMO=true")
	p.expectError(`The disk with the database is full`)
	t.Cleanup(p.kill) // before its disk goes
	p.admin()
	b := newBrowser(t, p.url)
	const field = `document.querySelector("#composer-text").value`
	b.signIn(adminEmail)
	b.say("first")
	b.sees(".end", "Done")
	fill()
	b.say("kept in an old chat")
	b.sees(".composer .field-error", "The disk with the database is full: 0 MB are left")
	b.do("keep the text", until(field+` === "kept in an old chat"`))
	b.do("reload", until(`(location.reload(), true)`), until(field+` === "kept in an old chat"`))
	b.open("/")
	b.say("kept in a new chat")
	b.sees(".composer .field-error", "The disk with the database is full: 0 MB are left")
	b.do("keep the text", until(field+` === "kept in a new chat"`))
	empty()
	b.say("")
	b.sees(".end", "Done")
}
