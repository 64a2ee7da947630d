package web_test

import (
	"archive/zip"
	"bytes"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/sandbox"
	"fusebox/agent/tools"
	"fusebox/web"
)

// withWorkspaces gives a site the real files of conversations, in a folder: 1,000 bytes
// each at most, and 3,000 in a chat.
func withWorkspaces(t *testing.T, dir string) func(*web.Options) {
	t.Helper()
	box, err := sandbox.New(sandbox.Options{Mode: "off", Data: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	limits := agent.FileLimits{File: 1000, Workspace: 3000}
	files, err := tools.New(tools.Config{
		DataDir: dir, HTTPClient: http.DefaultClient, Timeout: time.Second, OutputLimit: 1000, Files: limits, Sandbox: box, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *web.Options) { o.Files, o.FileLimits = files, limits }
}

// fileForm is a form with one file, and what its fields are.
func fileForm(name, content string, fields ...string) (body *bytes.Buffer, kind string) {
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	part, _ := w.CreateFormFile("file", name) // a buffer takes everything
	_, _ = io.WriteString(part, content)
	_ = w.Close()
	return body, w.FormDataContentType()
}

func (b *browser) send(path, name, content string, fields ...string) answer {
	b.s.t.Helper()
	body, kind := fileForm(name, content, fields...)
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodPost, b.s.url+path, body)
	b.s.ok(err)
	req.Header.Set("Content-Type", kind)
	if len(fields) == 0 {
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return b.do(req)
}

// TestFilesByAPI: what is uploaded comes back, under a plain name that overwrites nothing;
// what browsers could run is only saved.
func TestFilesByAPI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSite(t, withWorkspaces(t, dir))
	s.user("first@example.org", agent.RoleAdmin)
	ana := s.user("ana@example.org", agent.RoleUser)
	id := s.client(ana).conversation()
	b, files := s.as(ana), "/api/v1/conversations/"+id+"/files"

	for _, tc := range []struct{ name, content, path, kind, way string }{
		{"notes.txt", "hello", "notes.txt", "text/plain; charset=UTF-8", "inline"},
		{"notes.txt", "again", "notes (2).txt", "text/plain; charset=UTF-8", "inline"},
		{"../../.bash\u202erc", "rm", ".bash_rc", "text/plain; charset=UTF-8", "inline"},
		{".env", "A=1", ".env", "text/plain; charset=UTF-8", "inline"},
		{".env", "A=2", ".env (2)", "text/plain; charset=UTF-8", "inline"},
		{" .gitignore", "*", ".gitignore", "text/plain; charset=UTF-8", "inline"},
		{"..config.yaml", "a: 1", "..config.yaml", "text/plain; charset=UTF-8", "inline"},
		{"-rf", "x", "_rf", "text/plain; charset=UTF-8", "inline"},
		{"--checkpoint-action=exec=sh run.sh", "x", "_-checkpoint-action=exec=sh run.sh", "text/plain; charset=UTF-8", "inline"},
		{"dir/ -n.txt", "x", "_n.txt", "text/plain; charset=UTF-8", "inline"},
		{"-", "x", "_", "text/plain; charset=UTF-8", "inline"},
		{"..", "up", "file", "text/plain; charset=UTF-8", "inline"},
		{`C:\dir\图.png`, "\x89PNG\r\n\x1a\n", "图.png", "image/png", "inline"},
		{"a.jpeg", "\xff\xd8\xff", "a.jpeg", "image/jpeg", "inline"},
		{"a.gif", "GIF89a", "a.gif", "image/gif", "inline"},
		{"a.webp", "RIFF\x00\x00\x00\x00WEBPVP", "a.webp", "image/webp", "inline"},
		{"photo.png", "<html><script>alert(1)</script>", "photo.png", "application/octet-stream", "attachment"},
		{"a.svg", `<?xml version="1.0"?><svg onload="alert(1)"/>`, "a.svg", "application/octet-stream", "attachment"},
	} {
		got := b.send(files, tc.name, tc.content)
		if got.status != http.StatusCreated || !strings.Contains(got.body, `"path":"`+tc.path+`"`) {
			t.Fatalf("%q: %d %s", tc.name, got.status, got.body)
		}
		down := b.get(got.header.Get("Location"))
		if down.status != http.StatusOK || down.body != tc.content || down.header.Get("Content-Type") != tc.kind || down.header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(down.header.Get("Content-Disposition"), tc.way) || !strings.Contains(down.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%q: %d %v %q", tc.name, down.status, down.header, down.body)
		}
	}
	s.ok(os.MkdirAll(filepath.Join(dir, "workspaces", id, "src"), 0o700))
	s.ok(os.WriteFile(filepath.Join(dir, "workspaces", id, "src", "a b.js"), []byte("deep"), 0o600))
	s.ok(os.Symlink(filepath.Join(dir, "workspaces"), filepath.Join(dir, "workspaces", id, "out")))
	if got := b.get(files + "/src%2Fa%20b.js"); got.body != "deep" {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.ok(os.Symlink("circle", filepath.Join(dir, "workspaces", id, "circle")))
	s.ok(os.Symlink("circle/below", filepath.Join(dir, "workspaces", id, "below")))
	for _, name := range []string{"circle", "below", "circle%2Fbelow", "notes.txt%2Fbelow", strings.Repeat("x", 256), strings.Repeat("y", 5000), "none", "src", "..%2F..%2Fa", "out%2F" + id + "%2Fnotes.txt", "%2Fetc%2Fpasswd"} {
		if got := b.get(files + "/" + name); got.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := b.get(files); got.status != 200 || !strings.Contains(got.body, `"path":"src/a b.js","bytes":4`) || strings.Contains(got.body, `"out"`) || !strings.Contains(got.body, `"limitBytes":3000`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	packed := b.get(files + ".zip")
	archive, err := zip.NewReader(strings.NewReader(packed.body), int64(len(packed.body)))
	s.ok(err)
	if len(archive.File) != 19 || packed.header.Get("Content-Encoding") != "" {
		t.Errorf("%d files, %v", len(archive.File), packed.header)
	}
}

// TestUploadsAreBounded: a file and a workspace have limits; what is refused leaves nothing.
func TestUploadsAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSite(t, withWorkspaces(t, dir))
	s.user("first@example.org", agent.RoleAdmin)
	ana := s.user("ana@example.org", agent.RoleUser)
	id := s.client(ana).conversation()
	b, files := s.as(ana), "/api/v1/conversations/"+id+"/files"
	b.send(files, "big", strings.Repeat("x", 1001)).check(t, want{status: 422, has: []string{"is too large; at most", `"field":"file"`}})
	if got := b.send(files, "huge", strings.Repeat("x", 2<<20)); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", got.status, got.body)
	}
	for range 3 {
		if got := b.send(files, "part", strings.Repeat("x", 900)); got.status != http.StatusCreated {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	b.send(files, "last", strings.Repeat("x", 900)).check(t, want{status: 422, has: []string{"has no room"}})
	for name, body := range map[string]string{"no file": "--x--\r\n", "cut": "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhalf"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+files, strings.NewReader(body))
		s.ok(err)
		req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		if got := b.do(req); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, "workspaces", id))
	if err != nil || len(left) != 3 {
		t.Errorf("%v %v", left, err)
	}
}

// TestFilesPage: the form works without scripts, with the token of its page; its owner alone
// has it, and names cannot be HTML.
func TestFilesPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSite(t, withWorkspaces(t, dir))
	admin := s.as(s.user("first@example.org", agent.RoleAdmin))
	ana := s.user("ana@example.org", agent.RoleUser)
	id := s.client(ana).conversation()
	b, page := s.as(ana), "/c/"+id+"/files"
	b.get(page).check(t, want{status: 200, has: []string{"There are no files yet", `enctype="multipart/form-data"`, "Up to 1000 B each"}, hasNot: []string{"Download all"}})
	b.send(page, "a<b>.txt", "hi", "csrf_token", b.csrf).check(t, want{status: 303, location: page})
	s.ok(os.MkdirAll(filepath.Join(dir, "workspaces", id, "src"), 0o700))
	s.ok(os.WriteFile(filepath.Join(dir, "workspaces", id, "src", "<b>&.js"), []byte("deep"), 0o600))
	b.get(page).check(t, want{status: 200, has: []string{
		"Uploaded a_b_.txt.", `href="/api/v1/conversations/` + id + `/files/a_b_.txt"`, "src/</span>&lt;b&gt;&amp;.js", "files/src/%3Cb%3E&amp;.js", "6 B of 2.93 KB used", "files.zip",
	}, hasNot: []string{"<b>"}})
	b.send(page, "a.txt", "hi", "csrf_token", "wrong").check(t, want{status: 403})
	b.send(page, "big", strings.Repeat("x", 1001), "csrf_token", b.csrf).check(t, want{status: 422, has: []string{"The file is too large; at most"}})
	admin.get(page).check(t, want{status: 200, has: []string{"a_b_.txt"}, hasNot: []string{"multipart/form-data"}})
	b.get("/c/"+id).check(t, want{status: 200, has: []string{`href="` + page + `" title="Files" aria-label="Files" data-files-open`, `id="files-panel"`}})
}

// TestPicturesOfRuns are sent as what is in them, and nothing is run in them.
func TestPicturesOfRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.finished(ana, "a")
	for name, kind := range map[string]string{"a.png": "image/png", "a.jpg": "image/jpeg", "a.gif": "image/gif", "a.webp": "image/webp"} {
		a := s.client(ana).call(http.MethodGet, "/api/v1/runs/"+run.ID+"/images/"+name, "")
		for header, want := range map[string]string{
			"Content-Type": kind, "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
		} {
			if got := a.header.Get(header); a.status != http.StatusOK || got != want {
				t.Errorf("%s: %d, %s: %q", name, a.status, header, got)
			}
		}
	}
}
