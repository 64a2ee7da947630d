package answer

import (
	"regexp"
	"strings"
)

// readMark reads what DeepSeek writes between its marks: NAME<sep>{…}, and before that
// function<sep>NAME and a JSON fence.
func readMark(text string, _ bool, _ offer) (reading, bool) {
	name, args, typed := strings.Cut(text, "<｜tool▁sep｜>")
	if strings.TrimSpace(name) == "function" {
		name, args, _ = strings.Cut(args, "\n")
	}
	args = RepairArguments(strings.TrimSpace(args))
	if !typed || !IsObject(args) {
		return reading{}, false
	}
	return one(name, args)
}

// numbered is the place of a call among all of its chat, behind its name.
var numbered = regexp.MustCompile(`:\d+\s*$`)

// readKimi reads NAME:0, a mark, and JSON.
func readKimi(text string, _ bool, _ offer) (reading, bool) {
	name, args, split := strings.Cut(text, "<|tool_call_argument_begin|>")
	args = RepairArguments(strings.TrimSpace(args))
	if !split || !IsObject(args) {
		return reading{}, false
	}
	return one(numbered.ReplaceAllString(name, ""), args)
}

// mistralHead is what Mistral writes before the arguments of a call.
var mistralHead = regexp.MustCompile(`^\s*([\w./:-]+)\s*(?:\[CALL_ID\][^\[{]*)?(?:\[ARGS\])?\s*`)

// readMistral reads [TOOL_CALLS] with a list of objects, or NAME[ARGS]{…} for each call.
func readMistral(text string, _ bool, _ offer) (all reading, ok bool) {
	for rest := text; rest != ""; rest = strings.TrimSpace(rest) {
		after, opened := strings.CutPrefix(rest, "[TOOL_CALLS]")
		head := mistralHead.FindStringSubmatch(after)
		if head != nil {
			after = after[len(head[0]):]
		}
		value, tail, ok := jsonAhead(after)
		if !opened || !ok || len(all.calls) > maxCalls {
			return reading{}, false
		}
		r := reading{}
		if head == nil {
			r, ok = readJSON(string(value))
		} else if ok = IsObject(string(value)); ok {
			r, ok = one(head[1], string(value))
		}
		if !ok {
			return reading{}, false
		}
		all.calls, rest = append(all.calls, r.calls...), tail
	}
	return all, true
}
