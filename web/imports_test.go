package web_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/web"
)

// importing runs the queues of imports and documents until the test ends.
func (s *site) importing() {
	ctx, end := context.WithCancel(s.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.imports.Run(ctx)
	}()
	s.t.Cleanup(func() {
		end()
		agenttest.Receive(s.t, "the end of the queue", ended)
	})
	s.reading()
}

func newImportSite(t *testing.T, with ...func(*web.Options)) (*site, *browser) {
	t.Helper()
	s := newSite(t, with...)
	s.user("first@example.org", agent.RoleAdmin)
	s.importing()
	return s, s.as(s.user("ana@example.org", agent.RoleUser))
}

// zipped is an archive of files, by pairs of names and contents.
func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		entry, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(entry, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type shownImport struct {
	ID, Name, State, Problem                               string
	Total, Done, Added, Replaced, Unchanged, LeftOut, Gone int
	Omitted                                                []agent.Omitted
	Missing                                                []string
}

func importIn(t testing.TB, a answer, status int) (in shownImport) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &in); err != nil || a.status != status {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return in
}

// imports sends a file, and returns what has become of it in the end: numbers in words, without an id.
func (b *browser) imports(name, content string, fields ...string) shownImport {
	b.s.t.Helper()
	return b.imported(b.sendImport(name, content, fields...))
}

// sendImport sends a file with other fields as the scripts of the page do.
func (b *browser) sendImport(name, content string, fields ...string) answer {
	b.s.t.Helper()
	body, kind := fileForm(name, content, fields...)
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodPost, b.s.url+"/api/v1/imports", body)
	b.s.ok(err)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(req)
}

func (b *browser) imported(sent answer) shownImport {
	b.s.t.Helper()
	in := importIn(b.s.t, sent, http.StatusAccepted)
	if at := sent.header.Get("Location"); at != "/api/v1/imports/"+in.ID || in.State != "importing" {
		b.s.t.Errorf("%+v at %s", in, at)
	}
	agenttest.Eventually(b.s.t, "import "+in.ID, func() bool {
		in = importIn(b.s.t, b.get("/api/v1/imports/"+in.ID), http.StatusOK)
		return in.State != "importing"
	})
	in.ID = ""
	return in
}

// documents are the names of the viewer's documents by their ids, and the names alone, the newest first.
func (b *browser) documents() (ids map[string]string, names []string) {
	b.s.t.Helper()
	var list struct{ Items []shownDocument }
	if err := json.Unmarshal([]byte(b.get("/api/v1/documents?limit=100").body), &list); err != nil {
		b.s.t.Fatal(err)
	}
	ids = map[string]string{}
	for _, d := range list.Items {
		ids[d.Name] = d.ID
		names = append(names, d.Name)
	}
	return ids, names
}

// TestImportAgain: an archive becomes documents, and nothing else when it comes again; what was changed in
// it becomes a version, what was moved stays one document, and what is gone stays.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	s, b := newImportSite(t)
	vault := zipped(t, "garden/plan.md", "Beans first.", "garden/sub/tools.md", "A rake.", "garden/old.md", "Gone soon.", "garden/.obsidian/app.json", "{}", "garden/photo.png", "x")
	want := shownImport{Name: "garden", State: "done", Total: 4, Done: 4, Added: 3, LeftOut: 1, Omitted: []agent.Omitted{{Path: "photo.png", Why: agent.OmitType}}}
	if diff := cmp.Diff(want, b.imports("garden.zip", vault)); diff != "" {
		t.Error(diff)
	}
	want.Added, want.Unchanged = 0, 3
	if diff := cmp.Diff(want, b.imports("garden (1).zip", vault)); diff != "" {
		t.Error("the same again: ", diff)
	}
	changed := zipped(t, "plan.md", "Peas first.", "moved/tools.md", "A rake.", "new.md", "A hose.", "twin.md", "A hose.")
	want = shownImport{
		Name: "garden", State: "done", Total: 4, Done: 4, Added: 1, Replaced: 1, Unchanged: 1, LeftOut: 1, Gone: 1,
		Omitted: []agent.Omitted{{Path: "twin.md", Why: agent.OmitDuplicate}}, Missing: []string{"old.md"},
	}
	if diff := cmp.Diff(want, b.imports("any.zip", changed, "name", "garden", "collectionId", "own", "fetch", "false")); diff != "" {
		t.Error("changed: ", diff)
	}
	ids, names := b.documents()
	if diff := cmp.Diff([]string{"new.md", "old.md", "tools.md", "plan.md"}, names); diff != "" {
		t.Error(diff)
	}
	if d := documentIn(t, b.get("/api/v1/documents/"+ids["plan.md"]), http.StatusOK); d.Version != 2 {
		t.Errorf("%+v", d)
	}
	if page := b.get("/documents/" + ids["tools.md"]).body; !strings.Contains(page, "From the import garden: moved/tools.md") {
		t.Error("the page does not say where the document came from")
	}
	other := s.as(s.user("ben@example.org", agent.RoleUser))
	if in := other.imports("garden.zip", vault); in.Added != 3 {
		t.Errorf("another person's: %+v", in)
	}
	agenttest.Eventually(t, "no file of an import", func() bool {
		left, err := s.db.DocumentLeftovers(t.Context(), "", 10)
		return err == nil && len(left) == 0
	})
}

// TestImportEdited: what a person has written over an imported note stays as long as the import does not change it.
func TestImportEdited(t *testing.T) {
	t.Parallel()
	_, b := newImportSite(t)
	vault := zipped(t, "plan.md", "Beans first.")
	b.imports("v.zip", vault)
	ids, _ := b.documents()
	b.awaitDocument(ids["plan.md"], "ready")
	if got := b.put("/api/v1/documents/"+ids["plan.md"]+"/file", "plan.md", "Beans never."); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if in := b.imports("v.zip", vault); in.Unchanged != 1 || in.Done != 1 {
		t.Errorf("%+v", in)
	}
	if got := b.call(http.MethodDelete, "/api/v1/documents/"+ids["plan.md"], ""); got.status != http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if in := b.imports("v.zip", vault); in.Added != 1 {
		t.Errorf("after it was deleted: %+v", in)
	}
}

// hostile is an archive with everything that must not become a document.
func hostile(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(h *zip.FileHeader, content io.Reader) {
		entry, err := w.CreateHeader(h)
		if err == nil {
			_, err = io.Copy(entry, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	link := &zip.FileHeader{Name: "link.md"}
	link.SetMode(fs.ModeSymlink | 0o777)
	add(link, strings.NewReader("/etc/passwd"))
	for _, name := range []string{"../up.md", `..\up.md`, "/root.md", `C:\root.md`, "nul.md", "a/../../b.md"} {
		add(&zip.FileHeader{Name: name}, strings.NewReader("Out."))
	}
	add(&zip.FileHeader{Name: "large.txt", Method: zip.Deflate}, io.LimitReader(zeros{}, agent.MaxDocumentBytes+1))
	add(&zip.FileHeader{Name: "empty.md"}, strings.NewReader(""))
	add(&zip.FileHeader{Name: "data.unknown"}, strings.NewReader("\x00\x01"))
	add(&zip.FileHeader{Name: "notes.unknown"}, strings.NewReader("Plain words."))
	add(&zip.FileHeader{Name: "same.md"}, strings.NewReader("One."))
	add(&zip.FileHeader{Name: "same.md"}, strings.NewReader("Two."))
	add(&zip.FileHeader{Name: "\xbc\xbe\xb6\xc8.md", NonUTF8: true}, strings.NewReader("GBK."))
	add(&zip.FileHeader{Name: "M\x81ller.md", NonUTF8: true}, strings.NewReader("CP437."))
	add(&zip.FileHeader{Name: "__MACOSX/._same.md"}, strings.NewReader("Mac."))
	add(&zip.FileHeader{Name: "secret.md"}, strings.NewReader("Locked."))
	add(&zip.FileHeader{Name: "broken.md", Method: zip.Store}, strings.NewReader("Whole and well."))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	raw := bytes.Replace(out.Bytes(), []byte("Whole and well."), []byte("Whole and ill.."), 1)
	at := bytes.LastIndex(raw, []byte("secret.md")) // in the directory, whose flags are 38 bytes before the name
	raw[at-38] |= 1
	return string(raw)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestImportHostile: of an archive that nobody vouches for, what is safe becomes documents, and each other file is named with the reason.
func TestImportHostile(t *testing.T) {
	t.Parallel()
	_, b := newImportSite(t)
	in := b.imports("x.zip", hostile(t))
	why := map[string]agent.OmitReason{}
	for _, o := range in.Omitted {
		why[o.Path] = o.Why
	}
	want := map[string]agent.OmitReason{
		"link.md": "unsafe", "../up.md": "unsafe", "/root.md": "unsafe", "C:/root.md": "unsafe", "nul.md": "unsafe", "a/../../b.md": "unsafe",
		"large.txt": "too_large", "empty.md": "empty", "data.unknown": "type", "same.md": "duplicate", "secret.md": "locked", "broken.md": "broken",
	}
	if diff := cmp.Diff(want, why); diff != "" || in.Added != 4 || in.LeftOut != 13 || in.State != "done" {
		t.Errorf("%+v: %s", in, diff)
	}
	if _, names := b.documents(); !cmp.Equal(names, []string{"Müller.md", "季度.md", "same.md", "notes.unknown"}) {
		t.Errorf("%q", names)
	}
}

// TestImportEnds: an import that cannot be unpacked ends with the reason.
func TestImportEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("first@example.org", agent.RoleAdmin)
	ana := s.user("ana@example.org", agent.RoleUser)
	b := s.as(ana)
	for problem, tries := range map[string]int{"lost": 0, "stopped": agent.MaxImportTries} {
		in := agent.Import{ID: s.newID(), UserID: ana.ID, CollectionID: ana.ID, File: "none" + problem, State: agent.ImportRunning, CreatedAt: s.clock.Now()}
		s.ok(s.db.AddImport(t.Context(), in))
		in.Tries = tries
		s.ok(s.db.SaveImport(t.Context(), in))
		defer func() {
			if got := importIn(t, b.get("/api/v1/imports/"+in.ID), http.StatusOK); got.Problem != problem {
				t.Errorf("%+v, not %s", got, problem)
			}
		}()
	}
	s.importing()
	many := make([]string, 0, 2*(agent.MaxImportEntries+1))
	for i := range agent.MaxImportEntries + 1 {
		many = append(many, fmt.Sprintf("%d.md", i), "")
	}
	for problem, content := range map[string]string{
		"broken": "PK\x03\x04 and nothing else", "empty": zipped(t, ".git/config", "x"), "too_large": zipped(t, many...),
	} {
		if in := b.imports(problem+".zip", content); in.State != "failed" || in.Problem != problem || in.Added != 0 {
			t.Errorf("%s: %+v", problem, in)
		}
	}
	page := b.get("/documents/import").body
	for _, said := range []string{"The archive is damaged", "There is no file in it", "More comes out", "no longer has the bytes", "ended each time"} {
		if !strings.Contains(page, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
}

// TestImportRefused: what is no import is refused before anything is kept, and people see what to do.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("first@example.org", agent.RoleAdmin)
	b := s.as(s.user("ana@example.org", agent.RoleUser))
	archive := zipped(t, "a.md", "x")
	for _, row := range []struct {
		sent   answer
		status int
		said   string
	}{
		{b.sendImport("a.md", "Text"), 422, "is neither a zip archive"},
		{b.send("/documents/import", "a.md", "Text"), 422, "is neither a zip archive"},
		{b.call(http.MethodPost, "/api/v1/imports", "{}"), 422, "is missing"},
		{b.sendImport("a.zip", archive, "name", strings.Repeat("n", 121)), 422, "is too long"},
		{b.sendImport("a.zip", archive, "name", "a\u202eb"), 422, "characters that are not seen"},
		{b.sendImport("a.zip", archive, "collectionId", "another"), 404, "no such collection"},
		{b.sendFolder("/api/v1/imports", "a.zip", archive, "v/b.md", "x"), 422, "is one of several"},
	} {
		if row.sent.status != row.status || !strings.Contains(row.sent.body, row.said) {
			t.Errorf("%d %s, want %d %s", row.sent.status, row.sent.body, row.status, row.said)
		}
	}
	for n := range agent.MaxImportsWaiting + 1 { // nobody unpacks them
		got := b.send("/documents/import", fmt.Sprintf("%d.zip", n), archive)
		if want := map[bool]int{true: 303, false: 409}[n < agent.MaxImportsWaiting]; got.status != want {
			t.Errorf("%d: %d", n, got.status)
		}
	}
	if got := b.sendImport("more.zip", archive); got.status != 409 || !strings.Contains(got.body, "not done yet") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// sendFolder sends files by pairs of paths and contents, as a browser sends a folder.
func (b *browser) sendFolder(path string, files ...string) answer {
	b.s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_, _ = w.CreateFormFile("file", "") // a field in which nothing was chosen; a buffer takes everything
	for i := 0; i < len(files); i += 2 {
		part, _ := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename=%q`, files[i])}, "Content-Type": {"text/plain"}})
		_, _ = io.WriteString(part, files[i+1])
	}
	_ = w.Close()
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodPost, b.s.url+path, &body)
	b.s.ok(err)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(req)
}

// TestImportFolder: a folder is imported as the form of the page sends it, and the page says what became of it.
func TestImportFolder(t *testing.T) {
	t.Parallel()
	_, b := newImportSite(t)
	if page := b.get("/documents/import").body; !strings.Contains(page, "Nothing imported yet") || !strings.Contains(page, "webkitdirectory") {
		t.Error("the page has no form, or does not say that it is empty")
	}
	if got := b.sendFolder("/documents/import", "vault/a<b>.md", "Beans.", "vault/.git/HEAD", "x", "vault/sub/b.md", "Peas.", "vault/c.exe", "x"); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	var page string
	agenttest.Eventually(t, "the import", func() bool {
		page = b.get("/documents/import").body
		return strings.Contains(page, "Done")
	})
	for _, said := range []string{"vault", "2 added", "1 file was left out", "c.exe", "this type can’t be read"} {
		if !strings.Contains(page, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
	if in := b.imported(b.sendFolder("/api/v1/imports", "vault/a<b>.md", "Beans.")); in.Unchanged != 1 || in.Gone != 1 {
		t.Errorf("%+v", in)
	}
	if _, names := b.documents(); !cmp.Equal(names, []string{"b.md", "a<b>.md"}) {
		t.Errorf("%q", names)
	}
}

// TestImportNotion: an export in parts becomes one import without ids in its names; of a database the table with all rows is taken.
func TestImportNotion(t *testing.T) {
	t.Parallel()
	const id, other = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
	_, b := newImportSite(t)
	parts := zipped(t,
		"Export-1b0f2c6e-85f0-4d0a-9d5c-0f7c1d2e3f40-Part-1.zip", zipped(t, "Plans "+id+".md", "# Plans\n", "Plans "+id+"/Parts "+other+".csv", "a,b\n"),
		"Export-1b0f2c6e-85f0-4d0a-9d5c-0f7c1d2e3f40-Part-2.zip", zipped(t, "Plans "+id+"/Parts "+other+"_all.csv", "a,b\n1,2\n", "deep-Part-1.zip", "PK\x03\x04"))
	in := b.imports("Export-1b0f2c6e-85f0-4d0a-9d5c-0f7c1d2e3f40.zip", parts)
	if in.Name != "Notion" || in.Added != 2 || in.LeftOut != 1 || in.State != "done" {
		t.Errorf("%+v", in)
	}
	if _, names := b.documents(); !cmp.Equal(names, []string{"Parts.csv", "Plans.md"}) {
		t.Errorf("%q", names)
	}
}

const bookmarkFile = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1">Garden &amp; house</H3>
    <DL><p>
        <DT><A HREF="https://beans.example/sow?a=1&amp;b=2" ICON="data:image/png;base64,AAAA">Sow beans</A>
        <DT><H3>Tools</H3>
        <DL><p>
            <DT><A HREF="https://rakes.example/">Rakes</A>
        </DL><p>
        <DT><A HREF="https://beans.example/none">Lost</A>
    </DL><p>
    <DT><A HREF="javascript:alert(1)">Script</A>
    <DT><A HREF="https://peas.example/">Peas</A>
</DL><p>
`

// twoPages are pages of the web; all others are none.
type twoPages struct{}

func (twoPages) Download(_ context.Context, address string, take func(string, io.Reader) error) error {
	switch address {
	case "https://beans.example/sow?a=1&b=2":
		return take("sow.html", strings.NewReader("<html>Sow in May.</html>"))
	case "https://rakes.example/":
		return take("rakes.pdf", strings.NewReader("A rake."))
	}
	return agent.InvalidField("url", "leads nowhere: the site has no such page (%d); check it", 404)
}

// TestImportBookmarks: bookmarks become one document by folders; their pages are fetched where that was asked
// for, those of one host with a pause between them.
func TestImportBookmarks(t *testing.T) {
	t.Parallel()
	s, b := newImportSite(t, func(o *web.Options) { o.Downloads = twoPages{} })
	if in := b.imports("bookmarks_1_2_26.html", bookmarkFile); in.Name != "Bookmarks" || in.Added != 1 || in.Total != 1 {
		t.Errorf("%+v", in)
	}
	ids, _ := b.documents()
	const want = "- Peas <https://peas.example/>\n\n# Garden & house\n\n- Sow beans <https://beans.example/sow?a=1&b=2>\n- Lost <https://beans.example/none>\n\n## Tools\n\n- Rakes <https://rakes.example/>\n"
	if diff := cmp.Diff(want, b.get("/api/v1/documents/"+ids["Bookmarks.md"]+"/file").body); diff != "" {
		t.Error(diff)
	}
	sent := b.sendImport("bookmarks_2_2_26.html", bookmarkFile, "fetch", "true")
	s.clock.Outwait(t, 2e9)
	in := b.imported(sent)
	omitted := []agent.Omitted{{Path: "https://peas.example/", Why: agent.OmitUnreachable}, {Path: "https://beans.example/none", Why: agent.OmitUnreachable}}
	if diff := cmp.Diff(omitted, in.Omitted); diff != "" || in.Added != 2 || in.Unchanged != 1 || in.Total != 5 {
		t.Errorf("%+v: %s", in, diff)
	}
	if _, names := b.documents(); !cmp.Equal(names, []string{"rakes.pdf", "Sow beans.html", "Bookmarks.md"}) {
		t.Errorf("%q", names)
	}
	if in := b.imports("bookmarks.html", bookmarkFile); in.Gone != 0 || in.Unchanged != 1 {
		t.Errorf("without the pages again: %+v", in)
	}
}
