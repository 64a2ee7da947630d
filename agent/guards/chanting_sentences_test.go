package guards

import (
	"strings"
	"testing"
)

// waits are sentences of a model that does nothing but say that it will.
var waits = []string{
	"I'll send this.", "I'll be ready for the next command.", "I'll send the response.", "I'll do it.", "I'll wait.", "I'll stop thinking.", "I'll be quiet.", "I'll be concise.",
}

// sentenceTexts are what the rule must leave alone and what it must cut.
var sentenceTexts = func() ruleTexts {
	good := words(700, 44) + "\n\n"
	dozen := append([]string{"Now I am done with this.", "Let me look at it once more.", "That should be all for now.", "Okay, here it comes."}, waits...)
	marked := func(mark func(i int) string) string {
		lines := strings.Split(strings.TrimSpace(inAnyOrder(900, "\n", waits...)), "\n")
		return rows(len(lines), func(i int) string { return mark(i) + lines[i] + "\n" })
	}
	return ruleTexts{ruleSaid, map[string]string{
		"a dialogue": rows(40, func(i int) string {
			return []string{"\"Is it you?\" she asked.\n", "\"It is me.\"\n", "\"Come in then, " + word(i) + ", and " + words(40, uint64(i)) + ".\"\n", "\"No.\"\n"}[i*i*7%11%4]
		}),
		"a poem with a refrain": rows(14, func(i int) string {
			return words(70, uint64(900+i)) + "\nAnd the river runs.\nIt runs to the sea.\nOh, the river runs.\n\n"
		}),
		"a checklist": rows(12, func(i int) string {
			return "## Room " + word(i) + "\n\n- [ ] Look at the door.\n- [ ] Look at the window.\n- [ ] Put out the light.\n\n"
		}),
		"a list of verdicts": rows(150, func(i int) string {
			return num(i+1) + ". The statement is " + []string{"true", "false"}[i*i%7%2] + ".\n"
		}),
		"labels, one a line": inAnyOrder(400, "\n", "positive", "negative", "neutral", "Strongly agree"),
		"questions with answers": rows(40, func(i int) string {
			return "Q: What does " + words(40, uint64(i)) + " mean?\nA: " + []string{"It depends on the version.", "See the manual.", "Nobody knows."}[i*i%7%3] + "\n\n"
		}),
		"a chorus sung five times": good + rows(5, func(i int) string {
			return "We sail away today.\nThe wind is high tonight.\nWe sail away.\nOh, sail with me.\n\n" + words(90, uint64(i)) + "\n"
		}),
		"servers with their state": rows(80, func(i int) string {
			return "Server " + word(i*7) + ": " + []string{"All checks have passed.", "One check has failed.", "It is down."}[i*i%11%3] + "\n"
		}),
		"chinese labels": inAnyOrder(300, "\n", "非常满意", "满意", "不满意"),
	}, map[string]loudText{
		"lines in any order":      {good, inAnyOrder(900, "\n", waits...), 600},
		"in one paragraph":        {good, inAnyOrder(900, " ", waits...), 600},
		"a dozen":                 {good, inAnyOrder(900, "\n", dozen...), 1000},
		"a dozen, empty lines":    {good, inAnyOrder(900, "\n\n", dozen...), 1000},
		"numbered":                {good, marked(func(i int) string { return num(i+1) + ". " }), 1000},
		"in items":                {good, marked(func(int) string { return "- " }), 1000},
		"letter case":             {good, inAnyOrder(900, "\n", append([]string{"I'LL WAIT.", "i'll do it.", "I'll Send This!"}, waits...)...), 1000},
		"without marks":           {good, inAnyOrder(400, "\n", "I will go and look at it", "Let me go and look at it", "Now I will wait for the answer", "Then I go on with that"), 500},
		"chinese in any order":    {good, inAnyOrder(500, "", "我会再检查一次日志。", "对不起，我刚才错了。", "让我从头开始。", "好的，我马上处理。", "请稍等一下！"), 900},
		"longer chinese":          {good, inAnyOrder(500, "", "我会再检查一次日志文件看看发生了什么事情。", "对不起，我刚才的回答里有一个错误需要改正。", "让我从头开始重新分析这个问题的原因。"), 900},
		"chinese, line by line":   {good, inAnyOrder(500, "\n", "我会再检查一次日志。", "对不起，我刚才错了。", "让我从头开始。", "好的，我马上处理。"), 900},
		"long ones, line by line": {good, inAnyOrder(400, "\n", "I am sorry for the confusion that this has caused.", "You are right, that was a mistake on my side.", "Let me correct that for you now.", "Here is the corrected version of it:"), 1000},
	}}
}()

func TestSentences(t *testing.T) {
	t.Parallel()
	sentenceTexts.prove(t)
}

// TestSentencesAreCutSoon: within some 3,000 characters.
func TestSentencesAreCutSoon(t *testing.T) {
	t.Parallel()
	for name, tc := range sentenceTexts.loud {
		if name == "numbered" || name == "in items" {
			continue // lists may have five times as many
		}
		if _, at := plain(tc.chant); at > 3200 {
			t.Errorf("%s: cut at character %d", name, at)
		}
	}
}

func BenchmarkSentences(b *testing.B) {
	benchRule(b, func() func(rune, int) bool {
		w := &sentenceWindow{}
		return func(r rune, at int) bool {
			n, _ := w.push(r, at, prose)
			return n > 0
		}
	})
}
