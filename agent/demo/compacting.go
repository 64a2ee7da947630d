package demo

import (
	"fmt"
	"strings"
)

// fullAfter is after how many steps the compaction tests find the request too long.
const fullAfter = 6

// compacting fills the context until the request is too long, and tells what
// the summary then says.
func compacting(t turn) answer {
	switch {
	case t.summary != "":
		return say(t.in("The endpoint refused a request that was too long, and the older messages were summarised. I go on with this:",
			"端点拒绝了过长的请求，较早的消息已被总结。我从总结继续：") + "\n\n" + shortened(t.summary))
	case !t.may("calculator"):
		return without(t, "calculator")
	case len(t.steps) >= fullAfter:
		return tooLong()
	}
	return note(t)
}

// forgetting fills the context as compacting does, and then does again what it
// had done before.
func forgetting(t turn) answer {
	switch {
	case t.summary != "":
		return circling(t, calculate(noted(0)))
	case !t.may("calculator"):
		return without(t, "calculator")
	case len(t.steps) >= fullAfter:
		return tooLong()
	}
	return note(t)
}

func noted(step int) string { return fmt.Sprintf("%d*%d", step+3, step+7) }

// goods are what the notes count, one sentence each: a note is long enough that
// six of them are worth a summary.
var goods = []struct{ english, chinese string }{
	{"The shelf by the door holds %d boxes of apples, which go out on Monday.", "门边的架子上有 %d 箱苹果，周一发货。"},
	{"Under the window I count %d crates of oranges; two of them are open.", "窗下有 %d 箱橙子，其中两箱已经打开。"},
	{"Someone has put %d sacks of rice next to the scales.", "有人把 %d 袋大米放在了秤的旁边。"},
	{"The cold room keeps %d bottles of milk until the weekend.", "冷库里存着 %d 瓶牛奶，要放到周末。"},
}

// note takes a long note and calculates something.
func note(t turn) answer {
	n := len(t.steps)
	a := use(calculate(noted(n)))
	var sentences []string
	for i, g := range goods {
		sentences = append(sentences, fmt.Sprintf(t.in(g.english, g.chinese), 10*(n+1)+i))
	}
	a.text = strings.Join(sentences, t.in(" ", ""))
	return a
}
