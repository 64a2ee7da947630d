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
func owing(t turn) (answer, bool) {
	if !t.says("test outputs", "测试产出", "測試產出") {
		return answer{}, false
	}
	if t.may("emit_value") {
		if found := missingOutputs.FindStringSubmatch(t.reminder); found != nil {
			var calls []call
			for _, o := range declaredOutput.FindAllStringSubmatch(found[1], -1) {
				calls = append(calls, invoke("emit_value", map[string]any{"name": strings.TrimSpace(o[1]), "value": sampleValues[o[2]]}))
			}
			return use(calls...), true
		}
	}
	if n := len(t.steps); n > 0 {
		return say(t.in(fmt.Sprintf("Done: all outputs are delivered, in %d steps.", n), fmt.Sprintf("完成：用 %d 步交付了全部产出。", n))), true
	}
	return say(t.in("I think I am done.", "我想我完成了。")), true
}
