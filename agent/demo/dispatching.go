package demo

import (
	"strings"
)

// errand finds who wants the coder to append a line to a file: its name is the first group that
// is there. quoted is a line that they give.
var (
	errand = pattern(`(?is)\b(?:coder|programmer)\b.*\b(?:append|add|write|put)\b.*?\b(?:to|in|into) ([\w./-]*\w\.\w+)` +
		`|(?:程序员|编程助手|coder).*?([\w./-]*\w\.\w+).*(?:追加|添加|写入|写上|加一行|加上)`)
	quoted = pattern(`[“"]([^“”"\n]{1,200})[”"]`)
)

// dispatching has the coder append a line to a file, which needs an approval.
func dispatching(t turn) (answer, bool) {
	m, given := errand().FindStringSubmatch(t.text), quoted().FindStringSubmatch(t.text)
	if m == nil || t.agent != "" || given == nil && !t.means("line", "一行") {
		return answer{}, false
	}
	path, line := m[1]+m[2], t.in("Buy new fuses.", "购买新的保险丝。")
	if given != nil {
		line = given[1]
	}
	back := t.handedBack()
	switch {
	case len(back) == 0:
		return delegating(t, delegate("coder", t.in("Append the line “"+line+"” to "+path+".", "在 "+path+" 末尾追加一行“"+line+"”。"), nil, nil)), true
	case !back[0].succeeded():
		return say(back[0].failure(t)), true
	case len(back[0].Effects) == 0:
		return say(t.in(
			"The coder has not changed "+path+". It says: “"+back[0].told()+"”",
			"coder 没有更改 "+path+"。它说：“"+back[0].told()+"”")), true
	}
	return say(t.in(
		"The coder has appended the line to "+path+". It says: “"+back[0].told()+"”",
		"coder 已在 "+path+" 中追加一行。它说：“"+back[0].told()+"”")), true
}

// contrastPhrases ask to see a loop of one agent leave another alone.
var contrastPhrases = []string{
	"one agent … loop … another", "an agent … loop … another", "agent loops … another", "agent loops … other", "agent … stuck … another",
	"助手…循环…另一个", "智能体…循环…另一个", "代理…循环…另一个",
}

// watchedFile is what the analyst watches in vain.
const watchedFile = "README.md"

// contrasting hands over two tasks at once, of which one does not end, and tells how both did.
func contrasting(t turn) (answer, bool) {
	if t.agent != "" || !t.means(contrastPhrases...) {
		return answer{}, false
	}
	tasks := []call{
		delegate("analyst", t.in("Watch "+watchedFile+" until it changes.", "盯住 "+watchedFile+"，直到它发生变化。"), nil, nil),
		delegate("writer", t.in("Write a sentence about fuses.", "写一句关于保险丝的话。"), nil, nil),
	}
	back := t.handedBack()
	if n := len(back); n < len(tasks) {
		return delegating(t, tasks[n:]...), true
	}
	var lines []string
	for _, r := range back {
		said := r.failure(t)
		if r.succeeded() {
			said = t.in("The agent "+r.agent+" has done its task: “"+r.told()+"”", "智能体 "+r.agent+" 完成了任务：“"+r.told()+"”")
		}
		lines = append(lines, said)
	}
	return say(strings.Join(lines, "\n\n")), true
}

// sendToDocuments finds what an agent is to look up in the person's documents; the first group that
// is there is its task.
var sendToDocuments = pattern(`(?is)^\s*(?:please |can you |could you )*(?:have|let|ask) (?:an? |the )?(?:researcher|agent) (?:to )?((?:search|look in|look through|check|go through) (?:all )?(?:of )?my (?:documents?|notes?|files|library) (?:for|about)\s.+)$` +
	`|^\s*(?:请|让|叫|派|一个)*(?:研究员|researcher|智能体|助手)(?:来|去|帮我)*((?:在|从|搜索|查找|查一下|查查|查)我的(?:文档|笔记|资料|文件库).+)$`)

// sending has an agent look something up in the person's documents, and repeats what it says
// with its sources.
func sending(t turn) (answer, bool) {
	m := sendToDocuments().FindStringSubmatch(t.text)
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
