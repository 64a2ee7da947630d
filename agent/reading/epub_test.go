package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

// chapter makes a page of a book.
func chapter(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>` + body + `</body></html>`
}

// book makes a book of a manifest and a spine, beside the files in "text".
func book(t *testing.T, manifest, spine string, files ...entry) string {
	t.Helper()
	return zipped(t, append([]entry{
		{"mimetype", "application/epub+zip"},
		{"META-INF/container.xml", `<container><rootfiles><rootfile full-path="text/book.opf"/></rootfiles></container>`},
		{"text/book.opf", `<package><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tides</dc:title></metadata>
			<manifest>` + manifest + `</manifest><spine>` + spine + `</spine></package>`},
	}, files...)...)
}

// item is one of a manifest.
func item(id, href, more string) string {
	return fmt.Sprintf(`<item id="%s" href="%s" media-type="application/xhtml+xml" %s/>`, id, href, more)
}

func TestReadEPUBReadsInTheOrderOfTheSpine(t *testing.T) {
	t.Parallel()
	anchors := strings.Repeat(`<a id="x"/>`, 600)
	file := book(t,
		item("c", "c.xhtml", "")+item("nav", "nav.xhtml", `properties="scripted nav"`)+item("a", "ch%20a.xhtml", "")+item("b", "b.xhtml", "")+item("x", "extra.xhtml", ""),
		`<itemref idref="nav"/><itemref idref="a"/><itemref idref="x" linear="no"/><itemref idref="b"/><itemref idref="gone"/><itemref idref="c"/>`,
		entry{"text/c.xhtml", chapter(`<p>The moon pulls the sea.</p>`)},
		entry{"text/b.xhtml", chapter(anchors + `<h1>Ebb</h1><p>The <ruby>潮<rp>(</rp><rt>cháo</rt><rp>)</rp></ruby>水 runs out.</p><h2>Spring ebb</h2><p>Twice a month.</p>`)},
		entry{"text/ch a.xhtml", chapter(`<h1>Flood</h1><p>The water comes.</p>`)},
		entry{"text/extra.xhtml", chapter(`<p>Answers</p>`)},
		entry{"text/nav.xhtml", chapter(`<nav><ol><li><a href="ch%20a.xhtml">One</a></li><li><a href="c.xhtml#top">The <i>moon</i></a></li></ol></nav>`)})
	r := readArchive(t, "tides.epub", file)
	wants(t, r, []part{
		{"Flood, page 2", "The water comes."},
		{"Ebb, page 4", "The 潮水 runs out."},
		{"Ebb > Spring ebb, page 4", "Twice a month."},
		{"The moon, page 6", "The moon pulls the sea."},
	}, agent.ReadingNote{Code: agent.NoteBroken, Pages: []int{5}, Name: "gone"})
	if r.Title != "Tides" {
		t.Errorf("title %q", r.Title)
	}
}

func TestReadEPUBTakesTitlesOfOlderBooks(t *testing.T) {
	t.Parallel()
	file := book(t, `<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>`+item("a", "a.xhtml", ""), `<itemref idref="a"/>`,
		entry{"text/a.xhtml", chapter(`<p>Low water.</p>`)},
		entry{"text/toc.ncx", `<ncx><docTitle><text>Tides</text></docTitle><navMap><navPoint><navLabel><text>Neap</text></navLabel><content src="a.xhtml"/></navPoint></navMap></ncx>`})
	wants(t, readArchive(t, "tides.epub", file), []part{{"Neap, page 1", "Low water."}})
}

func TestReadEPUBIsLockedWhereTextIsEncrypted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]agent.DocumentProblem{
		`<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="text/a.xhtml"/></CipherData>`: agent.ProblemLocked,
		`<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="text/a.OTF"/></CipherData>`:   "",
		`<EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><CipherData><CipherReference URI="text/a.bin"/></CipherData>`:            "",
	} {
		file := book(t, item("a", "a.xhtml", ""), `<itemref idref="a"/>`, entry{"text/a.xhtml", chapter(`<p>Low water.</p>`)},
			entry{"META-INF/encryption.xml", `<encryption><EncryptedData>` + name + `</EncryptedData></encryption>`})
		if got := readArchive(t, "tides.epub", file).Problem; got != want {
			t.Errorf("%s: problem %q, want %q", name, got, want)
		}
	}
}
