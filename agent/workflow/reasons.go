package workflow

import (
	"strings"

	"fusebox/agent"
)

// A step that has failed says why in words for the agents that read it. People read reasons.

// reason is why a step has failed: as agents read it, in which %s stands for anything, and as people do.
type reason struct {
	said             string
	english, chinese string
	// inner are the words for what %s stands for, by itself; the others stand as they are.
	inner map[string][2]string
}

// reasons are tried in their order.
var reasons = []reason{
	{said: "It was aborted by a person.", chinese: "它被人中止了。"},
	{said: "It was stopped because it was not needed any more.", chinese: "已不再需要它，因此它被停止了。"},
	{said: "It was stopped because the time of the run that waits for it was up.", english: "It was stopped because the time of the whole run was up.", chinese: "整个运行的时间已用完，因此它被停止了。"},
	{said: "It failed before it was done.", chinese: "它在完成之前失败了。"},
	{said: "It ended without an answer.", chinese: "它没有给出回答就结束了。"},
	{said: "It ended before it was done.", chinese: "它在完成之前就结束了。"},
	{said: "It has no answer to be read.", chinese: "它没有可读的回答。"},
	{said: "The choice is none of the names.", chinese: "所选的名称不在其中。"},
	{said: "It has not handed back what was asked for: %s.", chinese: "它没有交回所要求的内容：%s。"},
	{said: "It was stopped (%s) before it was done: take what it hands in as a part.", english: "It was stopped before it was done: %s.", chinese: "它在完成之前被停止了：%s。", inner: stops},
	{said: "There is no agent %s. The agents are:%s", english: "There is no agent %s.", chinese: "没有名为 %s 的智能体。"},
	{said: "No further agent can be asked: %s", english: "There are as many runs as there may be, so it could not begin.", chinese: "运行数量已达上限，因此它无法开始。"},
}

// stops say why a run was stopped.
var stops = map[string][2]string{
	string(agent.StopMaxSteps):          {"it had made as many model calls as it may", "模型调用次数已达上限"},
	string(agent.StopTimeout):           {"its time was up", "时间已用完"},
	string(agent.StopTokenBudget):       {"its tokens were used up", "token 额度已用完"},
	string(agent.StopCostBudget):        {"its money was used up", "费用额度已用完"},
	string(agent.StopLoop):              {"it went round in circles", "它陷入了循环"},
	string(agent.StopConsecutiveErrors): {"too many of its calls failed one after the other", "连续出错次数过多"},
	string(agent.StopProviderError):     {"its model could not answer", "模型无法回答"},
	string(agent.StopRejected):          {"a person refused what it asked for", "有人拒绝了它的请求"},
	string(agent.StopApprovalExpired):   {"nobody decided in time", "没有人及时作出决定"},
	string(agent.StopTerminateTool):     {"a tool ended it", "某个工具结束了它"},
}

// reasonFor is why a step has failed, in the words for people; what has none stays as it is.
func reasonFor(l agent.Language, why string) string {
	for _, r := range reasons {
		held, ok := heldBy(r.said, why)
		if !ok {
			continue
		}
		form := r.english
		if l == agent.Chinese {
			form = r.chinese
		}
		if form == "" {
			return why
		}
		for _, word := range held {
			if own, known := r.inner[word]; known {
				word = own[0]
				if l == agent.Chinese {
					word = own[1]
				}
			}
			form = strings.Replace(form, "%s", word, 1)
		}
		return form
	}
	return why
}

// heldBy is what a text has in the places of %s; false for one of another form.
func heldBy(form, text string) (held []string, ok bool) {
	parts := strings.Split(form, "%s")
	text, ok = strings.CutPrefix(text, parts[0])
	for i, part := range parts[1:] {
		if !ok {
			return nil, false
		}
		at := strings.Index(text, part)
		if i == len(parts)-2 { // the last one ends the text
			at = len(text) - len(part)
			ok = strings.HasSuffix(text, part)
		}
		if at < 0 {
			return nil, false
		}
		held, text = append(held, text[:at]), text[at+len(part):]
	}
	return held, ok && text == ""
}
