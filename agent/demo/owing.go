package demo

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	missingOutputs = regexp.MustCompile(`Missing: ([^.]+)\.`)
	declaredOutput = regexp.MustCompile(`([^\s,(][^,(]*?) \((string|integer|number|boolean|object|array)\)`)
)

// sampleValues are plausible values of the types that outputs have.
var sampleValues = map[string]any{
	"string": "sample", "integer": 3, "number": 1.5, "boolean": true, "object": map[string]any{}, "array": []any{},
}

// owing forgets its declared outputs until it is reminded of them.
func owing(t turn) answer {
	found := missingOutputs.FindStringSubmatch(t.reminder)
	switch {
	case !t.may("emit_value"):
		return say(t.in("No outputs are declared for this message, so I owe none.", "这条消息没有声明产出，所以我什么都不欠。"))
	case found != nil:
		var calls []call
		for _, o := range declaredOutput.FindAllStringSubmatch(found[1], -1) {
			calls = append(calls, invoke("emit_value", map[string]any{"name": strings.TrimSpace(o[1]), "value": sampleValues[o[2]]}))
		}
		return use(calls...)
	case len(t.steps) > 0:
		n := len(t.steps)
		return say(t.in(fmt.Sprintf("Done: all outputs are delivered, in %d %s.", n, plural(n, "step", "steps")), fmt.Sprintf("完成：用 %d 步交付了全部产出。", n)))
	}
	return insistingIsDone(t)
}

// insistingIsDone says that it is done, whatever it is reminded of.
func insistingIsDone(t turn) answer { return say(t.in("I think I am done.", "我想我完成了。")) }
