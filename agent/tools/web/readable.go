package web

import (
	"bytes"
	"io"
	"mime"
	"net/url"
	"strings"
	"sync"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// maxElements bounds the elements of a page of which the readable part is looked for.
const maxElements = 50_000

// markdown turns HTML into markdown. It is made when the first page is read.
var markdown = sync.OnceValue(func() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
})

// readable makes a page of what a site answered.
func readable(u *url.URL, contentType string, body []byte) (page, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "text/plain"
	}
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		return readHTML(u, contentType, body)
	case strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/xml" || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml"):
		text, err := decoded(contentType, body)
		return page{Title: titleOf(u), URL: u.String(), Text: strings.TrimSpace(text)}, err
	case kind == "application/pdf":
		return page{}, refusal("This is a PDF file, which web_fetch does not read. Look for the same as a web page.")
	default:
		return page{}, refusal("This is not a page of text, so it is not read.")
	}
}

// decoded is a text in UTF-8, whatever it was written in.
func decoded(contentType string, body []byte) (string, error) {
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return "", refusal("The page is written in an encoding that is not known.")
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", refusal("The page is not written in the encoding that it names.")
	}
	return strings.ToValidUTF8(strings.ReplaceAll(string(text), "\x00", ""), "\uFFFD"), nil
}

func readHTML(u *url.URL, contentType string, body []byte) (page, error) {
	text, err := decoded(contentType, body)
	if err != nil {
		return page{}, err
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return page{}, refusal("The page is nested too deeply to be read.")
	}
	p := page{Title: titleOf(u), URL: u.String()}
	whole := find(doc, "body")
	if t := find(doc, "title"); t != nil && t.FirstChild != nil {
		p.Title = plain(strings.Join(strings.Fields(t.FirstChild.Data), " "))
	}
	date := ""
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	article, err := parser.ParseDocument(doc, u)
	if err == nil && article.Node != nil {
		p.Text = inMarkdown(article.Node, u)
		if title := strings.TrimSpace(article.Title()); title != "" {
			p.Title = title
		}
		if at, err := article.PublishedTime(); err == nil && !at.IsZero() {
			date = "Published " + at.Format("2 January 2006") + "\n\n"
		}
	}
	if p.Text == "" && whole != nil { // a page without an article: a list, a form
		p.Text = inMarkdown(whole, u)
	}
	if p.Text == "" {
		return page{}, refusal("There is no text on the page; it may need a browser.")
	}
	p.Text = date + p.Text
	return p, nil
}

func inMarkdown(n *html.Node, u *url.URL) string {
	text, err := markdown().ConvertNode(n, converter.WithDomain(u.Scheme+"://"+u.Host))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// titleOf names a page that has no title.
func titleOf(u *url.URL) string {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if last := parts[len(parts)-1]; last != "" {
		return last
	}
	return u.Host
}

// find returns the first element of a name, nil for none.
func find(n *html.Node, name string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name {
			return d
		}
	}
	return nil
}

// withoutTags is the text of a piece of HTML.
func withoutTags(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		next := z.Next()
		if next == html.ErrorToken {
			return b.String()
		}
		if next == html.TextToken {
			b.WriteString(html.UnescapeString(string(z.Raw())))
		}
	}
}
