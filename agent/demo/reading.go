package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readTool reads the document that is open beside the chat.
const readTool = "document_read"

var (
	// summarise finds who wants the open document summarised; andNotes and andWeb say that related
	// documents, and the web, are to be searched too.
	summarise = pattern(`(?i)^\s*(?:please |can you |could you )*(?:summari[sz]e|sum up|give me a summary of) (?:this|the open) (?:document|file|note|text)\b` +
		`|^\s*(?:请|帮我|麻烦)*(?:总结|概括|摘要|总结一下|概括一下)(?:这个|这份|这篇|当前的?|打开的)(?:文档|文件|笔记|文章)`)
	andNotes = pattern(`(?i)\brelated (?:notes?|documents?)\b|相关的?(?:笔记|文档|资料)`)
	andWeb   = pattern(`(?i)\b(?:on|in|from) the (?:web|internet)\b|网上|网络`)
)

// readDocument is a part of a document as the model reads it: its first heading, and what its
// passages say.
type readDocument struct {
	topic string
	says  []webPage
}

// summarising reads the open document, then searches for what is related where the person says so.
func summarising(t turn) (answer, bool) {
	if !summarise().MatchString(t.text) {
		return answer{}, false
	}
	if !t.may(readTool) {
		return say(t.in("No document is open beside this chat. Open one with +, or under Documents, and ask again.",
			"对话旁没有打开的文档。请用“+”或在“文档”页面打开一个，然后再问。")), true
	}
	if len(t.steps) == 0 {
		return use(invoke(readTool, map[string]any{})), true
	}
	result := t.steps[0].results[0]
	read := parseDocument(result)
	if len(read.says) == 0 {
		return say(t.in("I could not read the document: ", "文档无法阅读：") + quote(result)), true
	}
	var more []call
	if andNotes().MatchString(t.text) && t.may(knowledgeTool) {
		more = append(more, invoke(knowledgeTool, map[string]any{"query": read.topic, "top_k": 5}))
	}
	if andWeb().MatchString(t.text) && t.may(searchTool) {
		more = append(more, invoke(searchTool, map[string]any{"query": read.topic, "count": 3}))
	}
	if len(more) > 0 && len(t.steps) == 1 {
		return use(more...), true
	}
	said := t.in("In short:", "摘要：") + "\n\n" + bullets(read.says)
	for _, s := range t.steps[1:] {
		for i, c := range s.calls {
			if c.name == knowledgeTool {
				said += related(t.in("Related in your documents:", "你的文档中相关的内容："), others(readPassages(s.results[i]), read.says[0].title))
			} else {
				said += related(t.in("On the web:", "网上："), []webPage{readWeb(s.results[i])})
			}
		}
	}
	return say(said), true
}

// others are passages of other documents than the one that is named.
func others(all []webPage, name string) (found []webPage) {
	for _, p := range all {
		if p.title != name {
			found = append(found, p)
		}
	}
	return found
}

func related(head string, pages []webPage) string {
	if list := bullets(pages); list != "" {
		return "\n\n" + head + "\n\n" + list
	}
	return ""
}

// mostBullets bounds how much of each source is said.
const mostBullets = 5

func bullets(pages []webPage) string {
	var lines []string
	for _, p := range pages {
		if p.n != "" && p.text != "" && len(lines) < mostBullets {
			lines = append(lines, fmt.Sprintf("- %s %s", sayOf(p.text), p.n))
		}
	}
	return strings.Join(lines, "\n")
}

func parseDocument(result string) (read readDocument) {
	head, body := unwrapped(result)
	var r struct {
		Passages   []struct{ ID, Name, Place, Begins string }
		Name, Text string
	}
	if json.Unmarshal([]byte(body), &r) != nil {
		return read
	}
	below := map[string]string{} // the texts of the parts by their last headings
	for i, part := range strings.Split("\n"+r.Text, "\n# ") {
		heading, text, _ := strings.Cut(part, "\n")
		way := strings.Split(heading, " › ")
		if i > 0 && read.topic == "" {
			read.topic = way[0]
		}
		below[way[len(way)-1]] = text
	}
	if read.topic == "" {
		read.topic, _, _ = strings.Cut(r.Name, ".")
	}
	for _, p := range r.Passages {
		said := webPage{title: p.Name, url: p.ID, text: p.Begins, n: numberOf(head, p.ID+" ")}
		if text := below[p.Place]; p.Place != "" && text != "" {
			said.text = text
		}
		read.says = append(read.says, said)
	}
	return read
}

// numberOf is the number under which a source is cited: that of the line of the wrapping that
// begins with it.
func numberOf(head, source string) string {
	for line := range strings.Lines(head) {
		if n, of, ok := strings.Cut(line, "] "); ok && strings.HasPrefix(of, source) {
			return n + "]"
		}
	}
	return ""
}
