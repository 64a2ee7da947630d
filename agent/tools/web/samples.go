package web

import (
	"cmp"
	"context"
	_ "embed" // the pages are a file
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed samples.txt
var samplesText string

// sample is a page of the demonstration, under an address that nobody can have.
type sample struct {
	url, title, date, seeAlso string
	paragraphs                []string
}

// corpus is all of them.
type corpus []sample

// samplePages reads the pages when they are first needed.
var samplePages = sync.OnceValue(func() corpus {
	var all corpus
	for part := range strings.SplitSeq(strings.TrimSpace(samplesText), "\n---\n") {
		lines := strings.Split(part, "\n")
		seeAlso, _ := strings.CutPrefix(lines[3], "see also: ")
		all = append(all, sample{lines[0], lines[1], lines[2], seeAlso, lines[4:]})
	}
	return all
})

// Marks of the sample data, in both languages.
const (
	sampleEnglish = "Sample data: this page belongs to a demonstration, and what it says is made up."
	sampleChinese = "示例数据：本页属于演示内容，并非真实信息。"
)

func (s sample) mark() string {
	if s.chinese() {
		return sampleChinese
	}
	return sampleEnglish
}

// brief is the mark of a snippet.
func (s sample) brief() string {
	if s.chinese() {
		return "（示例数据）"
	}
	return " (sample data)"
}

func (s sample) chinese() bool { return strings.Contains(s.url, "/zh/") }

// ask searches the pages for the words of a query, those of the title first.
func (c corpus) ask(_ context.Context, query string, count int) ([]Result, error) {
	type hit struct {
		Result
		score int
	}
	var hits []hit
	for _, s := range c {
		body := strings.Join(s.paragraphs, " ")
		score := 0
		for _, w := range wordsOf(query) {
			if hasWord(s.title, w) {
				score += 3
			}
			if hasWord(body, w) {
				score++
			}
		}
		if score > 0 {
			hits = append(hits, hit{Result{s.title, s.url, s.paragraphs[0] + s.brief()}, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]Result, 0, count)
	for _, h := range hits[:min(count, len(hits))] {
		found = append(found, h.Result)
	}
	return found, nil
}

// wordsOf are the words of a query; of Chinese, each two characters that follow each other.
func wordsOf(query string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes := []rune(w)
		if !unicode.Is(unicode.Han, runes[0]) {
			if len(runes) > 2 {
				words = append(words, w)
			}
			continue
		}
		for i := range len(runes) - 1 {
			words = append(words, string(runes[i:i+2]))
		}
	}
	return words
}

func hasWord(text, word string) bool { return strings.Contains(strings.ToLower(text), word) }

// sampleTransport answers for the addresses of the pages, and hands on all others.
type sampleTransport struct {
	corpus
	next http.RoundTripper
}

func (t sampleTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ours := slices.ContainsFunc(t.corpus, func(s sample) bool {
		u, err := url.Parse(s.url)
		return err == nil && u.Host == req.URL.Host
	})
	if !ours {
		return t.next.RoundTrip(req)
	}
	res := &http.Response{
		StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: http.NoBody,
	}
	i := slices.IndexFunc(t.corpus, func(s sample) bool { return s.url == req.URL.String() })
	if i >= 0 {
		res.StatusCode, res.Body = http.StatusOK, io.NopCloser(strings.NewReader(t.corpus[i].html()))
	}
	return res, nil
}

func (s sample) html() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html><head><meta property="article:published_time" content="` + s.date + `"><title>` + html.EscapeString(s.title) + `</title></head><body><article><h1>` + html.EscapeString(s.title) + `</h1>`)
	for _, p := range s.paragraphs {
		b.WriteString("<p>" + html.EscapeString(p) + "</p>")
	}
	b.WriteString("<p>See also: " + html.EscapeString(s.seeAlso) + "</p><p><em>" + s.mark() + "</em></p></article></body></html>")
	return b.String()
}
