package address

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// linking are the attributes that lead somewhere; the scripts read those of data-.
var linking = []string{"href", "src", "action", "formaction", "data-stream", "data-api", "data-path"}

// HTML puts the site's path before all links of a page, or of a part of one, so that
// who writes a link need not think of it.
func (s Site) HTML(page []byte) []byte {
	if s.path == "" {
		return page
	}
	var out bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case html.ErrorToken: // the end
			out.Write(raw)
			return out.Bytes()
		case html.StartTagToken, html.SelfClosingTagToken:
			out.WriteString(s.tag(z, string(raw)))
		case html.TextToken, html.EndTagToken, html.CommentToken, html.DoctypeToken:
			out.Write(raw)
		}
	}
}

// tag is a tag with its links put right; one without stays as it was written.
func (s Site) tag(z *html.Tokenizer, raw string) string {
	if !strings.Contains(raw, "=") {
		return raw
	}
	t := z.Token()
	changed := false
	for i, a := range t.Attr {
		if link := s.Link(a.Val); link != a.Val && slices.Contains(linking, a.Key) {
			t.Attr[i].Val, changed = link, true
		}
	}
	if !changed {
		return raw
	}
	return t.String()
}
