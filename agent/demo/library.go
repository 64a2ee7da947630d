package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

const knowledgeTool = "knowledge_search"

// consult finds what a person wants to be looked up in their documents; the first group that
// is there is it. alsoWeb says that the web is to be searched too.
var (
	consult = pattern(`(?is)^\s*(?:please |can you |could you )*(?:search|look in|look through|check|go through) (?:all )?(?:of )?my (?:documents?|notes?|files|library)(?: and (?:also )?the (?:web|internet))? (?:for|about)\s+(.+?)\s*[.?!]*$` +
		`|^\s*what (?:do|does) my (?:documents?|notes?|library)(?: and the (?:web|internet))? say about\s+(.+?)\s*[.?!]*$` +
		`|^\s*(?:请|帮我|麻烦)*(?:在|从)?(?:搜索|查找|查一下|查查|查)?我的(?:文档|笔记|资料|文件库)(?:和网上|和网络)?(?:里|中|里面)?(?:搜索|查找|查一下|查查|查|找一?下?)?(?:关于|有关)?[\s:：,，]*(.+?)(?:的内容)?\s*[。？！?!]*$`)
	alsoWeb = pattern(`(?i)\band (?:also )?the (?:web|internet)\b|和网上|和网络`)
)

// consulting searches the person's documents, and searches again for what the best passage
// refers to. Where the person says so, it searches the web in the same answer.
func consulting(t turn) (answer, bool) {
	m := consult().FindStringSubmatch(t.text)
	if m == nil {
		return answer{}, false
	}
	topic := m[1] + m[2] + m[3]
	if !t.may(knowledgeTool) {
		return without(t, knowledgeTool), true
	}
	both := alsoWeb().MatchString(t.text) && t.may(searchTool)
	if len(t.steps) == 0 {
		calls := []call{invoke(knowledgeTool, map[string]any{"query": topic})}
		if both {
			calls = append(calls, invoke(searchTool, map[string]any{"query": topic, "count": 3}))
		}
		return use(calls...), true
	}
	var read []webPage
	for _, s := range t.steps {
		for i, c := range s.calls {
			if c.name == knowledgeTool {
				read = append(read, readPassages(s.results[i])...)
			} else {
				read = append(read, readWeb(s.results[i]))
			}
		}
	}
	if len(t.steps) == 1 {
		for _, p := range read {
			if more := seeAlso().FindStringSubmatch(p.text); more != nil && strings.HasPrefix(p.url, "p") {
				return use(invoke(knowledgeTool, map[string]any{"query": more[1], "top_k": 1})), true
			}
		}
	}
	return say(libraryAnswer(t, read)), true
}

const saveTool = "document_save"

// savePhrases ask to keep the last answer; the first group that is there is its name.
var savePhrases = pattern(`(?is)^\s*(?:please |can you |could you )*(?:save|keep|store) (?:that|this|it|(?:your|the|that) (?:last )?answer) (?:as|in|to|among) (?:a |my )?(?:notes?|documents?)(?: (?:called|named) ["“]?(.+?)["”]?)?\s*[.?!]*$` +
	`|^\s*(?:请|帮我|麻烦)*(?:把|将)?(?:它|这|这个|那个|刚才的?|你的|上面的?)*(?:回答|答案|内容)?(?:保存|存|写)(?:成|为|到|进)(?:我的)?(?:一篇|一个)?(?:笔记|文档)(?:里|中)?(?:，?(?:名为|叫|名叫)[“"]?(.+?)[”"]?)?\s*[。？！?!]*$`)

// saving keeps the last answer as a note.
func saving(t turn) (answer, bool) {
	m := savePhrases().FindStringSubmatch(t.text)
	switch s, did := t.last(); {
	case m == nil:
		return answer{}, false
	case !t.may(saveTool) && !did:
		return without(t, saveTool), true
	case t.said == "":
		return say(t.in("There is no answer yet that I could save. Ask me something first.", "还没有可以保存的回答。请先问我一个问题。")), true
	case !did:
		first, _, _ := strings.Cut(strings.TrimLeft(t.said, "# *-"), "\n")
		name := cmp.Or(m[1]+m[2], quote(strings.Trim(first, "*: ：")))
		return use(invoke(saveTool, map[string]any{"name": name, "text": t.said})), true
	case !strings.HasPrefix(s.results[0], "{"):
		return say(s.results[0]), true // a refusal says why
	default:
		return say(t.in("I saved it. You find it on the page Documents, and in all chats that search your documents.", "已保存。可以在“文档”页面找到它，也能在所有对话中搜索到。")), true
	}
}

// readPassages are the passages of a result, with the numbers under which they are cited.
func readPassages(result string) (all []webPage) {
	head, body := unwrapped(result)
	var r struct {
		Passages []struct{ ID, Name, Place, Text string }
	}
	if json.Unmarshal([]byte(body), &r) != nil {
		return nil
	}
	for _, p := range r.Passages {
		text := p.Text
		if first, rest, more := strings.Cut(text, "\n"); more && p.Place != "" && strings.HasSuffix(first, p.Place) {
			text = rest // below its headings
		}
		all = append(all, webPage{title: p.Name, url: p.ID, text: text, n: numberOf(head, p.ID+" ")})
	}
	return all
}

func libraryAnswer(t turn, read []webPage) string {
	var lines []string
	said := map[string]bool{}
	for _, p := range read {
		if p.url != "" && !said[p.url] {
			said[p.url] = true
			lines = append(lines, fmt.Sprintf("- **%s**: %s %s", p.title, sayOf(p.text), p.n))
		}
	}
	if len(lines) == 0 {
		return t.in("I found nothing about that in your documents. Add some under Documents, or ask for something else.", "你的文档里没有找到相关内容。可以在“文档”页面添加文件，或者换个问题。")
	}
	return t.in("This is what I found:", "找到了这些：") + "\n\n" + strings.Join(lines, "\n")
}
