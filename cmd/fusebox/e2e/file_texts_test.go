package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesKeepHowTheyAreWritten: uploads in other encodings, with other line ends, and with
// a dot before their name are read, searched, shown on cards, and edited as what they are.
func TestFilesKeepHowTheyAreWritten(t *testing.T) {
	t.Parallel()
	const (
		gbk   = "\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7\xa1\xa3\n"
		utf16 = "\xff\xfen\x00a\x00m\x00e\x00,\x00c\x00i\x00t\x00y\x00\n\x00L\x00i\x00,\x00\x7f\x5e\xde\x5d\n\x00"
		dos   = "def greet(name):\r\n    print(f\"hello, {name}\")\r\n\r\ndef add(a, b):\r\n    return a + b\r\n"
	)
	model, url := startModel(t)
	p := startProgram(t, t.TempDir(), "OPENAI_BASE_URL="+url, "FUSEBOX_MODEL=scripted")
	ana := p.admin()
	chat := ana.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	for name, content := range map[string]string{
		"gbk.txt": gbk, "utf16.csv": utf16, "latin1.txt": "caf\xe9\n", "crlf.py": dos, "mixed.txt": "one\r\ntwo\nthree\r\nfour\n",
		"marked.txt": "\xef\xbb\xbfname\r\n", "photo.bin": "\xff\xd8\xff\xe0\x00\x10JFIF", ".env": "KEY=世界\n",
	} {
		if status, answer := ana.sendsFile("/api/v1/conversations/"+chat+"/files", name, content); status != 201 || !strings.Contains(answer, `"path":"`+name+`"`) {
			t.Fatalf("%s: %d %s", name, status, answer)
		}
	}
	edit := func(path, old, now string) asked {
		return asked{"edit_file", fmt.Sprintf(`{"path":%q,"old":%q,"new":%q}`, path, old, now)}
	}
	read := func(path string) asked { return asked{"read_file", fmt.Sprintf(`{"path":%q}`, path)} }
	for i, row := range []struct {
		call      asked
		says      []string
		card      string // what its diff shows, "" for a call that asks nobody
		file, has string
	}{
		{call: read("gbk.txt"), says: []string{"你好，世界。\n", "GB18030"}},
		{call: read("utf16.csv"), says: []string{"name,city\nLi,广州\n", "UTF-16LE"}},
		{call: read("latin1.txt"), says: []string{"café\n", "Latin-1"}},
		{call: asked{"read_file", `{"path":"gbk.txt","offset":6,"limit":4}`}, says: []string{"世界\n[… bytes 6 to 10 of 13", "GB18030"}},
		{call: read("photo.bin"), says: []string{"is not a text file"}},
		{call: read(".env"), says: []string{"KEY=世界"}},
		{call: asked{"grep", `{"pattern":"世界|^Li|caf.$|^name$"}`}, says: []string{
			"gbk.txt:1: 你好，世界。\n", "latin1.txt:1: café\n", "utf16.csv:2: Li,广州\n", "marked.txt:1: name\n", "binary files that were left out: 1",
		}},
		{edit("gbk.txt", "世界", "朋友"), []string{"1 place"}, "-你好，世界。\n+你好，朋友。", "gbk.txt", "\xc4\xe3\xba\xc3\xa3\xac\xc5\xf3\xd3\xd1\xa1\xa3\n"},
		{edit("utf16.csv", "Li,广州\n", "Li,北京\n"), []string{"1 place"}, "+Li,北京", "utf16.csv", strings.Replace(utf16, "\x7f\x5e\xde\x5d", "\x17\x53\xac\x4e", 1)},
		{edit("latin1.txt", "café", "cafés à Köln"), []string{"1 place"}, "-café\n+cafés à Köln", "latin1.txt", "caf\xe9s \xe0 K\xf6ln\n"},
		{edit("latin1.txt", "café", "日本"), []string{"Latin-1 (windows-1252), which has no '日' (U+65E5)"}, "which has no '日'", "latin1.txt", "caf\xe9s \xe0 K\xf6ln\n"},
		{asked{"write_file", `{"path":"gbk.txt","content":"再见\n"}`}, []string{"Wrote 5 bytes"}, "-你好，朋友。\n+再见", "gbk.txt", "\xd4\xd9\xbc\xfb\n"},
		{edit("crlf.py", "hello", "hi\nthere"), []string{"1 place"}, "there", "crlf.py", strings.Replace(dos, "hello", "hi\r\nthere", 1)},
		{edit("mixed.txt", "two\nthree\n", "TWO\nTHREE\n"), []string{"1 place"}, "+TWO", "mixed.txt", "one\r\nTWO\nTHREE\r\nfour\n"},
		{edit("marked.txt", "name\n", "name\nLi\n"), []string{"1 place"}, "+Li", "marked.txt", "\xef\xbb\xbfname\r\nLi\r\n"},
		{edit("mixed.txt", "one\n\nTWO", "x"), []string{"was not found"}, "was not found", "mixed.txt", "one\r\nTWO\nTHREE\r\nfour\n"},
	} {
		message := fmt.Sprintf("do %d", i)
		model.plays(message, []asked{row.call})
		run := ana.post(chat, message)
		if ana.rests(run)["status"] == "paused" {
			card := ana.must("GET", "/api/v1/approvals/"+ana.rests(run)["pendingApprovalIds"].([]any)[0].(string), "")
			if text := fmt.Sprint(card); row.card == "" || !strings.Contains(text, row.card) {
				t.Errorf("%v: the card shows %s", row.call, text)
			}
			ana.decide(run, `{"decision":"approve"}`)
			ana.rests(run)
		}
		results := ofType(ana.events(chat, 0), "tool-call-result")
		result := fmt.Sprint(results[len(results)-1]["result"])
		for _, want := range row.says {
			if !strings.Contains(result, want) {
				t.Errorf("%v: %q lacks %q", row.call, result, want)
			}
		}
		if row.file != "" {
			if raw, err := os.ReadFile(filepath.Join(p.data, "workspaces", chat, row.file)); err != nil || string(raw) != row.has {
				t.Errorf("%v leaves %q %v", row.call, raw, err)
			}
		}
	}
}
