package answer

import (
	"encoding/json"
	"regexp"
	"strings"

	"fusebox/agent"
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

// A call as Python has it, and its arguments.
var (
	pythonCall = regexp.MustCompile(`^([A-Za-z_][\w.-]*?)(?:\.call)?\(\s*`)
	pythonKey  = regexp.MustCompile(`^([A-Za-z_]\w*)\s*=\s*`)
	pythonText = regexp.MustCompile(`^'((?:[^'\\\n]|\\.)*)'`)
	pythonWord = regexp.MustCompile(`^(?:True|False|None)\b`)
)

// readPythonTag reads what Llama writes behind its tag: JSON, or calls as Python has them,
// in a list or not.
func readPythonTag(text string, _ bool, _ offer) (reading, bool) {
	if r, ok := readJSON(text); ok {
		return r, true
	}
	if inner, listed := strings.CutPrefix(text, "["); listed {
		if text, listed = strings.CutSuffix(inner, "]"); !listed {
			return reading{}, false
		}
	}
	var all reading
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n;,") {
		name := pythonCall.FindStringSubmatch(rest)
		if name == nil || len(all.calls) > maxCalls {
			return reading{}, false
		}
		args, tail, ok := pythonArgs(rest[len(name[0]):])
		if !ok {
			return reading{}, false
		}
		all.calls, rest = append(all.calls, agent.CallRequest{Name: name[1], Arguments: args}), tail
	}
	return all, true
}

func pythonArgs(rest string) (args, tail string, ok bool) {
	values := make(map[string]any)
	for !strings.HasPrefix(rest, ")") {
		key := pythonKey.FindStringSubmatch(rest)
		if key == nil {
			return "", "", false
		}
		value, tail, ok := pythonValue(rest[len(key[0]):])
		if !ok {
			return "", "", false
		}
		values[key[1]] = value
		rest = strings.TrimSpace(tail)
		if after, more := strings.CutPrefix(rest, ","); more {
			rest = strings.TrimSpace(after)
		} else if !strings.HasPrefix(rest, ")") {
			return "", "", false
		}
	}
	return encodeArgs(values), rest[1:], true
}

func pythonValue(text string) (value json.RawMessage, tail string, ok bool) {
	if m := pythonText.FindStringSubmatch(text); m != nil {
		quoted := strings.ReplaceAll(strings.ReplaceAll(m[1], `\'`, `'`), `"`, `\"`)
		value = json.RawMessage(`"` + quoted + `"`)
		return value, text[len(m[0]):], json.Valid(value)
	}
	if m := pythonWord.FindString(text); m != "" {
		word := map[string]string{"True": "true", "False": "false", "None": "null"}[m]
		return json.RawMessage(word), text[len(m):], true
	}
	return jsonAhead(text)
}
