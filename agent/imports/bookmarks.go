package imports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"fusebox/agent"
)

// bookmarksWithin is how many bytes of a file tell that it has bookmarks.
const bookmarksWithin = 1024

var bookmarksStart = regexp.MustCompile(`(?i)<!doctype\s+netscape-bookmark-file-1\b`)

type folder struct {
	name    string
	links   []bookmark
	folders []*folder
}

type bookmark struct{ title, address string }

// maxFolders is how deep folders of bookmarks lie within each other; deeper ones count as the
// one they are in.
const maxFolders = 32

// readBookmarks reads what browsers export. All lists are in the folder whose name is the heading before them.
func readBookmarks(file io.Reader) (*folder, error) {
	root := &folder{}
	open, named, links := []*folder{root}, "", 0
	z := html.NewTokenizer(file)
	z.SetMaxBuf(1 << 20) // icons are in the attributes of links
	for links < agent.MaxImportEntries {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			return root, nil
		case html.StartTagToken:
			token := z.Token()
			last := open[len(open)-1]
			switch token.Data {
			case "h1", "h3":
				named = textUntil(z, token.Data)
			case "dl":
				if named != "" && len(open) > 1 && len(open) < maxFolders {
					last.folders = append(last.folders, &folder{name: named})
					last = last.folders[len(last.folders)-1]
				}
				open, named = append(open, last), ""
			case "a":
				if address := pageOf(token); address != "" {
					last.links = append(last.links, bookmark{textUntil(z, "a"), address})
					links++
				}
			}
		case html.EndTagToken:
			if z.Token().Data == "dl" && len(open) > 1 {
				open = open[:len(open)-1]
			}
		default: // texts and comments between the links
		}
	}
	return root, nil
}

// pageOf is the address of a link to a page: browsers keep scripts and queries of their own as
// bookmarks, too.
func pageOf(link html.Token) string {
	for _, a := range link.Attr {
		if u, err := url.Parse(strings.TrimSpace(a.Val)); a.Key == "href" && err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			return strings.Join(strings.Fields(a.Val), "%20")
		}
	}
	return ""
}

// textUntil is the text in an element, in one line.
func textUntil(z *html.Tokenizer, end string) string {
	var text strings.Builder
	for {
		switch z.Next() {
		case html.TextToken:
			text.Write(z.Text())
		case html.ErrorToken:
			return agent.Clip(html.UnescapeString(text.String()), 1000)
		case html.EndTagToken:
			if z.Token().Data == end {
				return agent.Clip(html.UnescapeString(text.String()), 1000)
			}
		default: // what marks the text up
		}
	}
}

// markdown writes a folder with all that is in it: a heading for each folder, a line for each bookmark.
func (f *folder) markdown(w *bytes.Buffer, level int) {
	if f.name != "" {
		fmt.Fprintf(w, "\n%s %s\n\n", strings.Repeat("#", min(level, 6)), f.name)
	}
	for _, b := range f.links {
		fmt.Fprintf(w, "- %s <%s>\n", b.title, b.address)
	}
	for _, inner := range f.folders {
		inner.markdown(w, level+1)
	}
}

// each hands over all bookmarks in a folder.
func (f *folder) each(take func(bookmark)) {
	for _, b := range f.links {
		take(b)
	}
	for _, inner := range f.folders {
		inner.each(take)
	}
}

// all are the list of all bookmarks, and with fetch the pages that they lead to, each once.
func (f *folder) all(fetch bool) []entry {
	var list bytes.Buffer
	f.markdown(&list, 0)
	if list.Len() == 0 {
		return nil
	}
	entries := []entry{{path: bookmarksFile, name: bookmarksFile, open: func(bool) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(list.Bytes())), nil
	}}}
	seen := map[string]bool{}
	f.each(func(b bookmark) {
		if fetch && !seen[b.address] && len(seen) < agent.MaxImportPages {
			seen[b.address] = true
			entries = append(entries, entry{path: b.address, name: strings.ReplaceAll(b.title, "/", "-"), address: b.address})
		}
	})
	return entries
}

// bookmarksFile is what the document with all bookmarks is called.
const bookmarksFile = "Bookmarks.md"
