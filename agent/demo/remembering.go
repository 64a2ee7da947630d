package demo

import (
	"encoding/json"
	"strings"
)

// The tools of the person's memory.
const (
	rememberTool = "remember"
	recallTool   = "recall"
)

// rememberPhrases ask to keep something in mind: what follows is it. recallPhrases ask
// what is known of the person.
var (
	rememberPhrases = pattern(`(?is)^\s*(?:please |can you |could you )*(?:(?:remember|keep in mind|take note|make a note|note down|jot down|don't forget|do not forget|for the record)(?: that| of|:|,)?|(?:note|write down) that|note to self:?|note:)[ ]+(.+)$|^\s*(?:请|麻烦|帮我|帮忙|帮|给我|你|您)*(?:记住|记录一?下|记录：|记一下|记一记|记下来?|记个|记好|记着|备忘|做个笔记|记笔记|别忘了|别忘记|不要忘了|不要忘记)[，,：:\s]*(.+)$`)
	recallPhrases   = pattern(`(?i)what (?:do|can) you (?:know|remember|recall) (?:about|of) me|what have you remembered|你(?:都)?(?:知道|记得|记住了?)(?:关于)?我(?:的)?(?:什么|哪些|些什么)|关于我你(?:都)?(?:知道|记得)`)
)

// remembering keeps what the person says for later chats, or says what is known of them.
func remembering(t turn) (answer, bool) {
	wish := rememberPhrases().FindStringSubmatch(t.text)
	switch {
	case wish != nil:
		return rememberFact(t, strings.TrimSpace(strings.Join(wish[1:], ""))), true
	case recallPhrases().MatchString(t.text):
		return recallFacts(t), true
	default:
		return answer{}, false
	}
}

func rememberFact(t turn, fact string) answer {
	s, did := t.last()
	switch {
	case !did:
		return t.use(invoke(rememberTool, map[string]any{"text": fact}))
	case !strings.HasPrefix(s.results[0], "{"):
		return say(s.results[0]) // a refusal says why
	}
	return say(t.in(
		"I will remember that in all your chats: “"+quote(fact)+"”. Ask “what do you know about me?” in a new one. You can change or delete it under Settings, Memory.",
		"我会在你所有的对话中记住：“"+quote(fact)+"”。可以在新对话里问“你知道我什么？”。在“设置 › 记忆”中可以修改或删除。"))
}

func recallFacts(t turn) answer {
	s, did := t.last()
	if !did {
		return t.use(invoke(recallTool, map[string]any{"query": t.text}))
	}
	var known struct{ Matches, Others []struct{ Text string } }
	if json.Unmarshal([]byte(s.results[0]), &known) != nil {
		return say(s.results[0])
	}
	var lines []string
	for _, f := range append(known.Matches, known.Others...) {
		lines = append(lines, "- "+quote(f.Text))
	}
	if len(lines) == 0 {
		return say(t.in("I know nothing about you yet. Say “remember that …”.", "我还不知道关于你的任何事。可以说“记住……”。"))
	}
	return say(t.in("This is what I remember about you:\n\n", "这是我记得的关于你的事：\n\n") + strings.Join(lines, "\n"))
}
