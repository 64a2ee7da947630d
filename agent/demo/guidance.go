package demo

import (
	"strings"

	"fusebox/agent/demo/wire"
)

// guidancePrefix is how a reviewer's words reach a model, among other reminders.
const guidancePrefix = "[System reminder] A person who looked at this run says: "

// guidanceOf finds the newest guidance in a request and behind it.
func guidanceOf(messages []wire.Message) (found string) {
	for _, m := range messages {
		if m.Role != "user" {
			continue
		}
		for part := range strings.SplitSeq(string(m.Content), "\n\n") {
			if text, ok := strings.CutPrefix(part, guidancePrefix); ok {
				found = strings.TrimSpace(text)
			}
		}
	}
	return found
}

// heeding stops what a rule does, because a person said something else.
func heeding(t turn) answer {
	return say(t.in(
		"Understood: "+t.guidance+" I stop here and answer with what I have. "+summary(t),
		"明白了："+t.guidance+" 我就到这里，用已有的结果回答。"+summary(t)))
}
