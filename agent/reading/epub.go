package reading

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent"
)

// book is an EPUB that is being read.
type book struct {
	*archive
	b      *builder
	items  map[string]bookItem // of the manifest, by ID
	titles map[string]string   // what the contents call a chapter, by its entry
}

type bookItem struct {
	ID         string `xml:"id,attr"`
	Href       string `xml:"href,attr"`
	Type       string `xml:"media-type,attr"`
	Properties string `xml:"properties,attr"`
}

// isContents reports whether an item is the table of contents.
func (i bookItem) isContents() bool { return slices.Contains(strings.Fields(i.Properties), "nav") }

// readEPUB reads the chapters of a book in the order in which people read them.
func readEPUB(a *archive, b *builder) error {
	if err := a.unlocked(); err != nil {
		return err
	}
	var container struct {
		Roots []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	if err := a.decode("META-INF/container.xml", &container); err != nil {
		return err
	}
	if len(container.Roots) == 0 {
		return failure(agent.ProblemBroken)
	}
	root := container.Roots[0].Path
	var list struct {
		Titles []string   `xml:"metadata>title"`
		Items  []bookItem `xml:"manifest>item"`
		Spine  []struct {
			ID     string `xml:"idref,attr"`
			Linear string `xml:"linear,attr"`
		} `xml:"spine>itemref"`
	}
	if err := a.decode(root, &list); err != nil {
		return err
	}
	if len(list.Titles) > 0 {
		b.reading.Title = list.Titles[0]
	}
	r := &book{archive: a, b: b, items: map[string]bookItem{}, titles: map[string]string{}}
	for _, item := range list.Items {
		item.Href = entryOf(root, item.Href)
		r.items[item.ID] = item
		if item.isContents() || item.Type == "application/x-dtbncx+xml" {
			if err := r.readContents(item.Href); err != nil {
				return err
			}
		}
	}
	for i, entry := range list.Spine {
		if b.isFull {
			break
		}
		item, known := r.items[entry.ID]
		if entry.Linear == "no" || item.isContents() || strings.HasPrefix(item.Type, "image/") {
			continue
		}
		b.page(i+1, "")
		about := agent.ReadingNote{Pages: []int{i + 1}, Name: path.Base(item.Href)}
		if !known {
			about.Name = entry.ID
		}
		if err := spare(b, r.readChapter(item.Href), about); err != nil {
			return err
		}
	}
	return nil
}

// unlocked fails where more than the fonts of a book is encrypted.
func (a *archive) unlocked() error {
	const name = "META-INF/encryption.xml"
	if !a.has(name) {
		return nil
	}
	var list struct {
		Data []struct {
			Method struct {
				Algorithm string `xml:"Algorithm,attr"`
			} `xml:"EncryptionMethod"`
			Reference struct {
				URI string `xml:"URI,attr"`
			} `xml:"CipherData>CipherReference"`
		} `xml:"EncryptedData"`
	}
	if err := a.decode(name, &list); err != nil {
		return err
	}
	for _, d := range list.Data {
		switch d.Method.Algorithm {
		case "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC": // both are of fonts only
			continue
		}
		switch strings.ToLower(path.Ext(d.Reference.URI)) {
		case ".otf", ".ttf", ".ttc", ".woff", ".woff2":
		default:
			return failure(agent.ProblemLocked)
		}
	}
	return nil
}

// entryOf is the entry that a reference in another leads to.
func entryOf(from, href string) string {
	href, _, _ = strings.Cut(href, "#")
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	return path.Join(path.Dir(from), href)
}

// hasHeading finds the headings of a chapter.
var hasHeading = regexp.MustCompile(`(?i)<h[1-6][\s>]`)

// readChapter reads one chapter. Where it has no heading, it has that of the contents.
func (r *book) readChapter(name string) error {
	source, err := r.open(name)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(source, maxPart+1))
	if err != nil {
		return err
	}
	if len(raw) > maxPart {
		r.b.note(agent.ReadingNote{Code: agent.NoteCut})
		raw = raw[:maxPart]
	}
	text := openedElements(pageText(string(raw), false, r.b))
	r.b.reading.Encoding = ""
	if hasHeading.MatchString(text) {
		r.b.heading(1, "")
	} else {
		r.b.heading(1, r.titles[name])
	}
	if problem := writeHTML(text, r.b); problem != "" {
		return fmt.Errorf("reading: %s: %s", name, problem)
	}
	return nil
}

// emptyElement is an element of XHTML such as <title/>.
var emptyElement = regexp.MustCompile(`<([a-zA-Z][a-zA-Z0-9:-]*)((?:\s[^<>]*)?)/>`)

// voidElements have no end in HTML.
var voidElements = strings.Fields("area base br col embed hr img input link meta param source track wbr")

// openedElements gives empty elements of XHTML an end: HTML knows none without one, and what
// follows a title that does not end is lost.
func openedElements(text string) string {
	var out strings.Builder
	last := 0
	for _, at := range emptyElement.FindAllStringSubmatchIndex(text, -1) {
		name := text[at[2]:at[3]]
		if slices.Contains(voidElements, strings.ToLower(name)) {
			continue
		}
		out.WriteString(text[last:at[5]] + "></" + name + ">")
		last = at[1]
	}
	out.WriteString(text[last:])
	return out.String()
}
