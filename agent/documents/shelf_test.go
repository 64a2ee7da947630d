package documents_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/documents"
)

// TestShelf: a file is there as soon as it has arrived, stays across a process that ended before
// it was put in its place, and is gone when it is removed; what never got a document is forgotten.
func TestShelf(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, err := documents.OpenShelf(data)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Receive(strings.NewReader("Pump 7"))
	if err != nil || kept.Bytes != 6 || len(kept.Hash) != 64 {
		t.Fatalf("%+v, %v", kept, err)
	}
	lost, err := s.Receive(strings.NewReader("nobody's"))
	if err != nil {
		t.Fatal(err)
	}
	content := func(file string) string {
		f, err := s.Open(file)
		if err != nil {
			return string(agent.CodeOf(err))
		}
		defer func() { _ = f.Close() }()
		text, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	if got := content(kept.File); got != "Pump 7" {
		t.Errorf("before it is kept: %q", got)
	}
	if s, err = documents.OpenShelf(data); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("the database does not answer")
	known := func(_ context.Context, file string) (bool, error) {
		if file == lost.File {
			return false, fault
		}
		return file == kept.File, nil
	}
	if err := s.Recover(t.Context(), known); !errors.Is(err, fault) || content(kept.File) != "Pump 7" || content(lost.File) != "nobody's" {
		t.Errorf("%v, %q, %q", err, content(kept.File), content(lost.File))
	}
	fault = nil
	if err := s.Recover(t.Context(), known); err != nil || content(lost.File) != string(agent.NotFound) {
		t.Errorf("%v, %q", err, content(lost.File))
	}
	if err := errors.Join(s.Remove(kept.File), s.Remove(kept.File)); err != nil || content(kept.File) != string(agent.NotFound) {
		t.Errorf("%v, %q", err, content(kept.File))
	}
}

// TestNames: documents are named as people see their files.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("长", 200)
	for file, want := range map[string]string{
		"季度报告（终版）.txt": "季度报告（终版）.txt", `..\..\up.txt`: "up.txt", "../../up2.txt": "up2.txt", ".env": ".env",
		"a\u202etxt.exe.txt": "atxt.exe.txt", "<img src=x>.txt": "<img src=x>.txt", "\xbc\xbe\xb6\xc8.txt": "季度.txt",
		"..": "document", "": "document", " x\n.md ": "x.md", long + ".txt": long[:3*116] + ".txt", long: long[:3*120],
	} {
		if got := documents.NameOf(file); got != want {
			t.Errorf("%q is named %q, not %q", file, got, want)
		}
	}
}
