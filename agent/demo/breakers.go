package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fusebox/agent/demo/reports"
)

// circling makes the next of many calls, until a person says something else.
func circling(t turn, next call) answer {
	if t.guidance != "" {
		return heeding(t)
	}
	return t.use(next)
}

// rounds makes the same calculations round and round, as long as it is offered the
// calculator.
func rounds(sums ...string) func(turn) answer {
	return func(t turn) answer { return circling(t, calculate(sums[len(t.steps)%len(sums)])) }
}

// varying asks nearly the same each time: only the spelling differs, and the
// answer never does.
func varying(t turn) answer {
	return circling(t, invoke("get_weather", map[string]any{"city": "Guangzhou" + strings.Repeat(" ", len(t.steps))}))
}

func returning(t turn) answer {
	if n := len(t.steps); n%2 == 1 {
		return circling(t, calculate(fmt.Sprintf("%d*%d", n, n+1)))
	}
	return circling(t, calculate("1+1"))
}

// shuffled are the sums of shuffling, by number: all are new at first, and then
// come again without an order.
var shuffled = []int{1, 2, 3, 4, 2, 1, 4, 3, 1, 3, 2, 4, 1, 2, 4, 3}

// shuffling makes calls that were all made before, in no order.
func shuffling(t turn) answer {
	n := shuffled[len(t.steps)%len(shuffled)]
	return circling(t, calculate(fmt.Sprintf("%d+%d", n, n)))
}

func failing(t turn) answer {
	return circling(t, invoke("read_file", map[string]any{"path": fmt.Sprintf("missing-%d.txt", len(t.steps)+1)}))
}

// wandering keeps doing new things that lead nowhere; only a judge sees it, or
// the limits of steps and time.
func wandering(t turn) answer {
	n := len(t.steps) + 1
	return circling(t, calculate(fmt.Sprintf("%d*%d+%d", n, n, n)))
}

func inventing(t turn) answer {
	if t.guidance != "" || len(t.offered) == 0 {
		return heeding(t)
	}
	return use(invoke([]string{"teleport", "beam", "warp"}[len(t.steps)%3], map[string]any{}))
}

// polling asks a weather buoy until it has measured. The buoy is made up for
// this run, so that each run sees one that is not ready yet.
func polling(t turn) answer {
	buoy := "Weather buoy " + t.now.Format("150405.000000")
	if s, did := t.last(); did {
		if w := reports.Read(s.results[0]); w.Known() {
			return say(t.in("The buoy has measured. ", "浮标测到了。") + sentences(t, s))
		}
		buoy = argument(s.calls[0], "city")
	}
	return circling(t, invoke("get_weather", map[string]any{"city": buoy}))
}

// chants is how often the sentence comes: long enough for every guard, and
// bounded.
const chants = 400

func chanting(t turn) answer {
	return say(strings.Repeat(t.in(
		"I am sure about this, let me say it once more. ",
		"我很确定，让我再说一遍。"), chants))
}

// countingChant repeats itself with another number each time.
func countingChant(t turn) answer {
	var b strings.Builder
	for i := range chants / 2 {
		fmt.Fprintf(&b, t.in("Step %d: check the logs and try again. ", "第%d步：检查日志，再试一次。"), i+1)
	}
	return say(b.String())
}

var (
	missingOutputs = pattern(`Missing: ([^.]+)\.`)
	declaredOutput = pattern(`([^\s,(][^,(]*?) \((string|integer|number|boolean|object|array)\)`)
)

var sampleValues = map[string]any{
	"string": "sample", "integer": 3, "number": 1.5, "boolean": true, "object": map[string]any{}, "array": []any{},
}

const emitTool = "emit_value"

// declaredOutputs are the types of the outputs in a list, by their names.
func declaredOutputs(list string) map[string]string {
	outputs := map[string]string{}
	for _, o := range declaredOutput().FindAllStringSubmatch(list, -1) {
		outputs[strings.TrimSpace(o[1])] = o[2]
	}
	return outputs
}

// owing forgets its declared outputs until it is reminded of them.
func owing(t turn) answer {
	found := missingOutputs().FindStringSubmatch(t.reminder)
	switch {
	case !t.may(emitTool):
		return say(t.in("No outputs are declared for this message, so I owe none.", "这条消息没有声明产出，所以我什么都不欠。"))
	case found != nil:
		var calls []call
		outputs := declaredOutputs(found[1])
		for _, name := range slices.Sorted(maps.Keys(outputs)) {
			calls = append(calls, invoke(emitTool, map[string]any{"name": name, "value": sampleValues[outputs[name]]}))
		}
		return use(calls...)
	case len(t.steps) > 0:
		n := len(t.steps)
		return say(t.in(fmt.Sprintf("Done: all outputs are delivered, in %d %s.", n, plural(n, "step", "steps")), fmt.Sprintf("完成：用 %d 步交付了全部产出。", n)))
	}
	return insistingIsDone(t)
}

func insistingIsDone(t turn) answer { return say(t.in("I think I am done.", "我想我完成了。")) }

// fullAfter is after how many steps the compaction tests find the request too long.
const fullAfter = 6

// note fills the context: it takes a long note with each calculation, until the
// request is too long.
func note(t turn) answer {
	n := len(t.steps)
	switch {
	case !t.may("calculator"):
		return without(t, "calculator")
	case n >= fullAfter:
		return tooLong()
	}
	a := use(calculate(noted(n)))
	var sentences []string
	for i, g := range goods {
		sentences = append(sentences, fmt.Sprintf(t.in(g.english, g.chinese), 10*(n+1)+i))
	}
	a.text = strings.Join(sentences, t.in(" ", ""))
	return a
}

// compacting tells what the summary says once there is one.
func compacting(t turn) answer {
	if t.summary == "" {
		return note(t)
	}
	return say(t.in("The endpoint refused a request that was too long, and the older messages were summarised. I go on with this:",
		"端点拒绝了过长的请求，较早的消息已被总结。我从总结继续：") + "\n\n" + shortened(t.summary))
}

// forgetting does again after the summary what it had done before.
func forgetting(t turn) answer {
	if t.summary == "" {
		return note(t)
	}
	return circling(t, calculate(noted(0)))
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

// What a step of the budget test reports, and after how many it ends: more
// than the 200,000 tokens that a run may use by default.
const (
	spentInput  = 12_000
	spentOutput = 1_000
	spentSteps  = 20
)

// spending reports many tokens with each step and makes progress in each, so
// that only a budget stops it early.
func spending(t turn) answer {
	var a answer
	switch n := len(t.steps); {
	case !t.may("calculator"):
		a = without(t, "calculator")
	case n >= spentSteps:
		a = say(t.in(
			fmt.Sprintf("Done: %d steps of about %d tokens each.", n, spentInput+spentOutput),
			fmt.Sprintf("完成：共 %d 步，每步约 %d 个 token。", n, spentInput+spentOutput)))
	default:
		a = use(calculate(fmt.Sprintf("%d*%d+%d", 7*n+3, n+2, n)))
	}
	a.usage = &usage{PromptTokens: spentInput, CompletionTokens: spentOutput, TotalTokens: spentInput + spentOutput}
	return a
}
