package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// agentWords are the dialogues of several agents in one language, and what a person reads of them.
type agentWords struct {
	language                             string
	commission, survey, errand, contrast string
	waits                                string // for a decision, behind the name of who asks
	done, stopped, rejected, accepted    string
	warmest, appended, unchanged, loops  string
	analyst, writer                      string // what the answer says of them
	task, inputs, root                   string
}

var agentDialogues = map[string]agentWords{
	"English": {
		"en", "Have a short text about green tea researched, written, and reviewed", "Compare the weather in Berlin, Paris, and Rome, one agent per city",
		"Have the coder append a line to notes.txt", "Show how one agent loops while another finishes",
		" waits for your decision", "done", "Wrapped up", "I reject it", "reviewer accepted it",
		"It is warmest in", "The coder has appended the line", "The coder has not changed notes.txt", "8 times in a row",
		"The agent analyst was stopped", "The agent writer has done its task", "Write a short text about green tea.", "Inputs", "main chat",
	},
	"Chinese": {
		"zh-CN", "请研究、撰写并审阅一篇关于绿茶的短文", "让三个助手分别查询北京、上海和广州的天气并比较",
		"让程序员在 notes.txt 里追加一行", "演示一个助手陷入循环而另一个正常完成",
		" 等你处理", "已完成", "已收尾", "不予接受", "reviewer 接受了这一版",
		"最热", "coder 已在 notes.txt 中追加一行", "coder 没有更改 notes.txt", "8 次",
		"智能体 analyst 没有完成任务", "智能体 writer 完成了任务", "写一篇关于绿茶的短文。", "输入", "主对话",
	},
}

// TestBrowserDemoAgents plays the dialogues of several agents as a newcomer does, in both
// languages: who works on what, the one card to decide, and afterwards what each has said.
func TestBrowserDemoAgents(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	for name, words := range agentDialogues {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, p.url)
			b.speaks(words.language)
			troubles := b.watch()
			b.signIn(adminEmail)
			b.commissionsAText(words)
			b.surveysCities(words)
			b.sendsOnAnErrand(words, "approve", words.appended)
			b.sendsOnAnErrand(words, "reject", words.unchanged)
			b.stopsALoopOfOne(words)
			for _, trouble := range troubles() {
				t.Error(trouble)
			}
		})
	}
}

// commissionsAText has a text rejected once, and loads the page again meanwhile.
func (b *browser) commissionsAText(words agentWords) {
	b.t.Helper()
	b.asks(words.commission)
	b.do("load it again", chromedp.Reload(), visible("#transcript > .end"))
	b.worked("researcher", "writer", "reviewer", "writer", "reviewer")
	b.sees("#transcript > .answer", words.accepted)
	for _, head := range ask[[]string](b, `[...document.querySelectorAll(".child-head")].map((el) => el.innerText)`) {
		if !strings.Contains(head, words.done) || strings.Contains(head, "{") {
			b.t.Errorf("a card's line is %q", head)
		}
	}
	b.opensAll()
	b.sees(".child-log", words.rejected)
	b.sees(".child-task", words.task)
	b.sees(".child-body > .tool-part", words.inputs)
	b.sees(".child-body > .tool-text", `"facts"`)
	b.fitsAPhone()
	b.shoot("agents-commission-" + words.language)
}

// surveysCities has three agents work at once.
func (b *browser) surveysCities(words agentWords) {
	b.t.Helper()
	b.asks(words.survey)
	b.do("see the end", visible("#transcript > .end"))
	b.worked("researcher", "researcher", "researcher")
	b.sees("#transcript > .answer", words.warmest)
	b.opensAll()
	b.sees(".child-log .tool-says", "temperature → ")
	b.fitsAPhone()
}

// sendsOnAnErrand decides what an agent asks for, in the chat.
func (b *browser) sendsOnAnErrand(words agentWords, decision, says string) {
	b.t.Helper()
	b.asks(words.errand)
	b.waitsFor("coder", words)
	b.shoot("agents-errand-" + words.language)
	b.do(decision, click(fmt.Sprintf(`#transcript > [data-card] button[value=%q]`, decision)), visible("#transcript > .end"))
	b.sees("#transcript > .answer", says)
	b.worked("coder")
	b.opensAll()
	b.sees(".child-log .ask-settled", adminEmail)
	b.fitsAPhone()
}

// stopsALoopOfOne wraps up an agent that loops, while another has done its task.
func (b *browser) stopsALoopOfOne(words agentWords) {
	b.t.Helper()
	b.asks(words.contrast)
	b.do("see the other's end", until(`!!document.querySelector(".child-head .badge-good")`))
	b.waitsFor("analyst", words)
	b.sees("#transcript > [data-card]", words.loops)
	b.shoot("agents-loop-" + words.language)
	chat := ask[string](b, `location.pathname`)
	b.do("read what it has done", click("#transcript > [data-card] .ask-link"), visible(".who-said"))
	b.sees(".so-far > :first-child > .who-said", words.root)
	b.fitsAPhone()
	b.shoot("agents-approval-" + words.language)
	b.open(chat)
	b.do("wrap up", click(`#transcript > [data-card] [value="resume:finish_now"]`), visible("#transcript > .end"))
	b.worked("analyst", "writer")
	b.sees("#transcript > .answer", words.analyst)
	b.sees("#transcript > .answer", words.writer)
	b.opensAll()
	b.sees(".child-log .ask-settled", words.stopped)
	b.fitsAPhone()
	b.do("open the run's page", click(`.child-ways a`), visible(".run-tree"))
	b.sees("blockquote", "README.md")
	b.sees(".run-tree", "writer")
	b.shoot("agents-run-" + words.language)
}

// asks begins a chat.
func (b *browser) asks(text string) {
	b.t.Helper()
	b.open("/")
	b.say(text)
	b.do("see its chat", until(`location.pathname.startsWith("/c/") && document.querySelectorAll(".child-head").length > 0`))
}

// waitsFor sees that an agent waits for a decision: below the chat, on the agent's card, and
// on one card to decide, as it happens and after the page was loaded again.
func (b *browser) waitsFor(agent string, words agentWords) {
	b.t.Helper()
	for range 2 {
		b.sees("#run-state", agent+words.waits)
		b.sees("#transcript > [data-card] .askers", agent)
		b.do("see the agent's card wait", visible(".child-head .badge-warm"))
		if n := b.count("#transcript > [data-card]"); n != 1 {
			b.t.Errorf("%d cards are to be decided", n)
		}
		b.fitsAPhone()
		b.do("load it again", chromedp.Reload(), visible("#transcript > [data-card]"))
	}
}

// worked compares who has worked, in the order of the cards.
func (b *browser) worked(want ...string) {
	b.t.Helper()
	got := ask[string](b, `[...document.querySelectorAll(".child-head strong")].map((el) => el.innerText).join(" ")`)
	if got != strings.Join(want, " ") {
		b.t.Errorf("the cards are of %s, not of %s", got, want)
	}
}

// opensAll opens what each agent has said, which is loaded then.
func (b *browser) opensAll() {
	b.t.Helper()
	b.do("open all", until(`(document.querySelectorAll(".child-fold").forEach((el) => (el.open = true)),
		[...document.querySelectorAll(".child-log")].every((el) => el.innerText !== ""))`))
}

// fitsAPhone sees that nothing is wider than a phone.
func (b *browser) fitsAPhone() {
	b.t.Helper()
	b.resized(size{390, 844})
	if wide := ask[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		b.t.Errorf("the page is %d pixels wide", wide)
	}
	b.resized(size{1440, 900})
}
