package demo

import (
	"encoding/json"
	"regexp"
	"strings"
)

// How a run that has reached a limit asks for what there is, and for its outputs.
const handInPrefix = "[System reminder] This run has reached its limit"

var outputsToHandIn = regexp.MustCompile(`as one JSON object with these names: (.+)\.$`)

// handingIn says what was done when a limit ends the run, with what there is of the outputs
// that it asks for.
func handingIn(t turn) (answer, bool) {
	_, asked, limited := strings.Cut(t.reminder, handInPrefix)
	if !limited {
		return answer{}, false
	}
	text := t.in("I stop here, because the limit is reached. ", "已达到上限，我就到这里为止。")
	if _, did := t.last(); did {
		text += summary(t)
	} else {
		text += t.in("I have made no tool calls.", "我还没有调用过工具。")
	}
	if outputs := outputsToHandIn.FindStringSubmatch(asked); outputs != nil {
		values := map[string]any{}
		for name, kind := range declaredOutputs(outputs[1]) {
			values[name] = sampleValues[kind]
		}
		raw, err := json.MarshalIndent(values, "", "  ")
		if err == nil {
			text += "\n\n```json\n" + string(raw) + "\n```"
		}
	}
	return say(text), true
}
