package demo

import "regexp"

// sendToDocuments finds what an agent is to look up in the person's documents; the first group that
// is there is its task.
var sendToDocuments = regexp.MustCompile(`(?is)^\s*(?:please |can you |could you )*(?:have|let|ask) (?:an? |the )?(?:researcher|agent) (?:to )?((?:search|look in|look through|check|go through) (?:all )?(?:of )?my (?:documents?|notes?|files|library) (?:for|about)\s.+)$` +
	`|^\s*(?:请|让|叫|派|一个)*(?:研究员|researcher|智能体|助手)(?:来|去|帮我)*((?:在|从|搜索|查找|查一下|查查|查)我的(?:文档|笔记|资料|文件库).+)$`)

// sending has an agent look something up in the person's documents, and repeats what it says
// with its sources.
func sending(t turn) (answer, bool) {
	m := sendToDocuments.FindStringSubmatch(t.text)
	if t.agent != "" || m == nil {
		return answer{}, false
	}
	back := t.handedBack()
	switch {
	case len(back) == 0:
		return delegating(t, delegate("researcher", m[1]+m[2], nil, nil)), true
	case !back[0].succeeded():
		return say(back[0].failure(t)), true
	}
	return say(t.in("The researcher says:", "研究员说：") + "\n\n" + back[0].Answer), true
}
