package demo

import (
	"fmt"
	"strconv"
	"strings"
)

func parallel(t turn) answer {
	if s, done := t.last(); done {
		return say(sentences(t, s))
	}
	if !t.may("get_weather", "calculator") {
		return without(t, "get_weather")
	}
	return use(
		invoke("get_weather", map[string]any{"city": "Beijing"}),
		invoke("get_weather", map[string]any{"city": "Shanghai"}),
		calculate("6*7"),
	)
}

// terminating ends its run by the tool that is there for it.
func terminating(t turn) answer {
	if len(t.steps) > 0 {
		return say(summary(t))
	}
	status := "success"
	if strings.Contains(t.plain, "fail") || strings.Contains(t.plain, "失败") {
		status = "failure"
	}
	return t.use(invoke("terminate", map[string]any{
		"status": status, "message": t.in("The demo ends here.", "演示到此结束。"),
	}))
}

const maxChain = 32

var chainWords = pattern(`(?:test chain|测试链|測試鏈) ?(\d+)`)

// chain makes as many calls in one answer as the person names, and lists
// their results.
func chain(t turn) (answer, bool) {
	found := chainWords().FindStringSubmatch(t.plain)
	if found == nil {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(sentences(t, s)), true
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n > maxChain {
		n = maxChain
	}
	calls := make([]call, max(n, 1))
	for i := range calls {
		calls[i] = calculate(fmt.Sprintf("%d+%d", len(calls), i+1))
	}
	return t.use(calls...), true
}

func thinking(t turn) answer {
	return answer{
		reasoning: t.in(
			"The person wants to see me think. First I look at what is asked, then at what I know, and then I decide. There is not much to decide here, so I answer.",
			"用户想看我思考。先看问题是什么，再看我知道什么，最后决定怎么回答。这里没有什么难的，直接回答。"),
		text: t.in("I have thought about it: the answer is 42.", "我想过了：答案是 42。"),
	}
}
