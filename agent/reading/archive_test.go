package reading_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/reading"
)

// entry is one of an archive.
type entry struct{ name, body string }

const relationTypes = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// zipped makes an archive.
func zipped(t *testing.T, entries ...entry) string {
	t.Helper()
	var flat []string
	for _, e := range entries {
		flat = append(flat, e.name, e.body)
	}
	return archive(t, flat...)
}

// related makes the relations of a part: IDs are the kinds, with a number from the second on.
func related(part string, targets ...entry) entry {
	var list strings.Builder
	seen := map[string]int{}
	for _, e := range targets {
		kind, id := e.name, e.name
		if seen[kind]++; seen[kind] > 1 {
			id = fmt.Sprint(kind, seen[kind])
		}
		fmt.Fprintf(&list, `<Relationship Id="%s" Type="%s%s" Target="%s"/>`, id, relationTypes, kind, e.body)
	}
	return entry{part, `<Relationships>` + list.String() + `</Relationships>`}
}

// readArchive reads a file that is not large.
func readArchive(t *testing.T, name, file string) agent.Reading {
	t.Helper()
	return readWithin(t, name, file, reading.Options{Unpacked: 8 << 20, Text: 1 << 20})
}

// part is a section as tests compare them: where it is, and its text.
type part struct {
	Place, Text string
}

// places are the sections of a reading; a place is "Heading > Heading, kind, page, label, line".
func places(r agent.Reading) []part {
	var all []part
	for _, s := range r.Sections {
		place := strings.Join(s.Headings, " > ")
		for _, more := range []string{string(s.Kind), number("page ", s.Page), s.Label, number("line ", s.Line)} {
			if more != "" {
				place += ", " + more
			}
		}
		all = append(all, part{place, r.Text[s.Start:s.End]})
	}
	return all
}

func number(name string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(name, n)
}

// wants compares what was read.
func wants(t *testing.T, r agent.Reading, want []part, notes ...agent.ReadingNote) {
	t.Helper()
	if r.Problem != "" {
		t.Fatalf("problem %q", r.Problem)
	}
	if diff := cmp.Diff(want, places(r)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(notes, r.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestReadBoundsWhatComesOutOfAnArchive(t *testing.T) {
	t.Parallel()
	run := `<w:p><w:r><w:t>` + strings.Repeat("water ", 1000) + `</w:t></w:r></w:p>`
	large := `<w:document><w:body>` + strings.Repeat(run, 300) + `</w:body></w:document>`
	hidden := strings.Repeat(`<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>`+strings.Repeat("x", 50_000)+`</w:t></w:r></w:p>`, 200)
	for name, test := range map[string]struct {
		file string
		want agent.DocumentProblem
	}{
		"one text of many bytes": {
			zipped(t, entry{"word/document.xml", `<w:document><w:body><w:p><w:r><w:t>` + strings.Repeat("a", 6<<20)}),
			agent.ProblemTooLarge,
		},
		"spaces before anything": {
			zipped(t, entry{"word/document.xml", strings.Repeat(" ", 12<<20)}),
			agent.ProblemTooLarge,
		},
		"all entries together": {
			zipped(t,
				entry{"word/document.xml", `<w:document><w:body>` + hidden[:len(hidden)/2] + `</w:body></w:document>`},
				related("word/_rels/document.xml.rels", entry{"header", "h.xml"}),
				entry{"word/h.xml", `<w:hdr>` + hidden[:len(hidden)/2] + `</w:hdr>`}),
			agent.ProblemTooLarge,
		},
		"headers that lie":     {lying(t, "word/document.xml", run+strings.Repeat("<w:x>"+strings.Repeat(" ", 1<<20)+"</w:x>", 9)), agent.ProblemTooLarge},
		"elements in elements": {zipped(t, entry{"word/document.xml", strings.Repeat("<w:p>", 5000)}), agent.ProblemBroken},
		"too many entries":     {zipped(t, append(make([]entry, 10_001), entry{"word/document.xml", large})...), agent.ProblemTooLarge},
		"only a part":          {zipped(t, entry{"word/document.xml", `<w:docu`}), agent.ProblemBroken},
		"a password":           {locked(zipped(t, entry{"word/document.xml", large})), agent.ProblemLocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := readArchive(t, "file.docx", test.file).Problem; got != test.want {
				t.Errorf("problem %q, want %q", got, test.want)
			}
		})
	}
}

// lying makes an archive of one entry that says that it has ten bytes.
func lying(t *testing.T, name, body string) string {
	t.Helper()
	var packed bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(deflate, body)
	_ = deflate.Close()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	raw, err := w.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Deflate, CompressedSize64: uint64(packed.Len()), UncompressedSize64: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = raw.Write(packed.Bytes())
	_ = w.Close()
	return file.String()
}

// locked sets the flag of encryption in the list of an archive of one entry.
func locked(file string) string {
	const flags = 8 // where they are in the entry of the list
	raw := []byte(file)
	raw[strings.Index(file, "PK\x01\x02")+flags] |= 1
	return string(raw)
}

func TestReadCutsLongText(t *testing.T) {
	t.Parallel()
	file := zipped(t, entry{"word/document.xml", `<w:document><w:body>` +
		strings.Repeat(`<w:p><w:r><w:t>`+strings.Repeat("water ", 1000)+`</w:t></w:r></w:p>`, 300) + `</w:body></w:document>`})
	r := readArchive(t, "file.docx", file)
	if r.Problem != "" || len(r.Text) > 1<<20 || len(r.Text) < 1<<19 {
		t.Errorf("problem %q, %d bytes", r.Problem, len(r.Text))
	}
	if diff := cmp.Diff([]agent.ReadingNote{{Code: agent.NoteCut}}, r.Notes); diff != "" {
		t.Error(diff)
	}
}
