package demo

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A wish for a text is an order that names all three trades, and what the text is to be about:
// the first group that is there.
var (
	ordered    = pattern(`(?i)^\W*(?:(?:please|can you|could you|would you|i want|i need|i would like|i'd like|to) )*(?:have|get|let|ask|research)\b|^\s*(?:请|麻烦|帮|能否|可以|我想|我要|让|找|叫|研究)`)
	trades     = [][]string{{"research", "研究", "调研"}, {"writ", "写"}, {"review", "审"}}
	about      = pattern(`(?i)\b(?:about|on) (.+?)(?:,? (?:(?:to )?be )?(?:researched|written|reviewed)\b|,? and (?:have|get|let|then)\b|[,.;!?:]|$)|关于(.+?)的?(?:短文|文章|小文|文字|介绍|报告|稿|[，。；！？,]|$)`)
	researched = pattern(`(?i)\bresearch (?:about |on |into )?(.+?)(?:,| and\b)|研究(?:一下)?([^，、,。]+)[，、,]`)
	pronoun    = pattern(`(?i)^(?:it|that|this|them|它|此)$`)
)

// topicOf is what a text is to be about, "" where the person wants none.
func topicOf(t turn) string {
	if !ordered().MatchString(t.text) || slices.ContainsFunc(trades, func(words []string) bool { return !t.says(words...) }) {
		return ""
	}
	for _, form := range []*regexp.Regexp{about(), researched()} {
		if m := form.FindStringSubmatch(t.text); m != nil {
			if topic := strings.TrimSpace(m[1] + m[2]); topic != "" && !pronoun().MatchString(topic) {
				return quote(topic)
			}
		}
	}
	return ""
}

// commission is a text that agents are to make, and how far it is.
type commission struct {
	topic string
	back  []report
	facts []any
	text  string // the newest version
}

// The agents of a commission, one for each step.
var (
	makers      = []string{"researcher", "writer", "reviewer"}
	makingSteps = []planned{{"Collect facts", "收集事实"}, {"Write the text", "撰写短文"}, {"Review it", "审阅短文"}}
)

const maxVersions = 2

// commissioning has a text researched, written, and reviewed by an agent each, and written
// once more where the reviewer rejects it. It keeps a plan of that.
func commissioning(t turn) (answer, bool) {
	topic := topicOf(t)
	if t.agent != "" || topic == "" {
		return answer{}, false
	}
	c := commission{topic: topic, back: t.handedBack()}
	for _, r := range c.back {
		switch r.agent {
		case "researcher":
			c.facts, _ = r.Values["facts"].([]any)
		case "writer":
			text, _ := r.Values["text"].(string)
			c.text = cmp.Or(text, r.Answer)
		}
	}
	next, plan := c.next(t)
	last, worked := t.last()
	begins := len(next.calls) > 0 && next.calls[0].name == delegateTool
	if t.may(planTool) && (begins && !worked || worked && last.calls[0].name == delegateTool) {
		return use(plan), true
	}
	return next, true
}

// next is what follows the newest report, and the plan for that.
func (c commission) next(t turn) (answer, call) {
	if len(c.back) == 0 {
		return c.give(t, 0, t.in("Collect facts about "+c.topic+".", "收集关于"+c.topic+"的事实。"), nil, map[string]any{"facts": "array"})
	}
	last := c.back[len(c.back)-1]
	versions := 0
	for _, r := range c.back {
		if r.agent == "writer" {
			versions++
		}
	}
	inputs := map[string]any{"topic": c.topic, "facts": c.facts}
	switch {
	case !last.succeeded():
		return c.stuck(t, last.agent, last.failure(t))
	case len(c.facts) == 0:
		return c.stuck(t, "researcher", t.in("The researcher has found nothing about "+c.topic+", so there is nothing to write.",
			"researcher 没有找到关于"+c.topic+"的内容，因此没有可写的。"))
	case last.agent == "writer":
		return c.give(t, 2, t.in("Review this text.", "审阅这篇短文。"), map[string]any{"text": c.text},
			map[string]any{"accepted": "boolean", "remarks": "string"})
	case last.agent == "reviewer" && last.Values["accepted"] == true:
		return say(c.text + "\n\n" + c.shares(t)), c.plan(t, "", planDone, planDone, planDone)
	case versions >= maxVersions:
		return c.stuck(t, "reviewer", t.in("The reviewer has accepted no version.", "reviewer 没有接受任何一版。")+"\n\n"+c.shares(t))
	case last.agent == "reviewer":
		inputs["remarks"] = last.Values["remarks"]
	}
	return c.give(t, 1, t.in("Write a short text about "+c.topic+".", "写一篇关于"+c.topic+"的短文。"), inputs, map[string]any{"text": "string"})
}

// give hands the n-th step over.
func (c commission) give(t turn, n int, task string, inputs, outputs map[string]any) (answer, call) {
	statuses := []string{planLater, planLater, planLater}
	for i := range n {
		statuses[i] = planDone
	}
	statuses[n] = planBegun
	return delegating(t, delegate(makers[n], task, inputs, outputs)), c.plan(t, "", statuses...)
}

// stuck gives up at the step of an agent.
func (c commission) stuck(t turn, agent, why string) (answer, call) {
	statuses := []string{planBlocked, planBlocked, planBlocked}
	for i := range slices.Index(makers, agent) {
		statuses[i] = planDone
	}
	return say(why), c.plan(t, quote(why), statuses...)
}

func (c commission) plan(t turn, why string, statuses ...string) call {
	return writePlan(t, makingSteps, why, statuses...)
}

func (c commission) shares(t turn) string {
	lines := []string{t.in("Who did what:", "分工：") + "\n"}
	for _, r := range c.back {
		did := ""
		switch n := len(c.facts); {
		case r.agent == "researcher":
			did = t.in(fmt.Sprintf("found %d %s", n, plural(n, "fact", "facts")), fmt.Sprintf("找到 %d 条事实", n))
		case r.agent == "writer":
			did = t.in("wrote a version", "写了一版")
		case r.Values["accepted"] == true:
			did = t.in("accepted it", "接受了这一版")
		default:
			did = t.in("rejected it: “", "退回了这一版：“") + quote(fmt.Sprint(r.Values["remarks"])) + "”"
		}
		lines = append(lines, "- **"+r.agent+"** "+did)
	}
	return strings.Join(lines, "\n")
}
