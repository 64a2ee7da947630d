package answer

import (
	"encoding/json"
	"regexp"
	"strings"

	"fusebox/agent"
)

// maxName bounds a name whose end is waited for.
const maxName = 128

// A call as Python has it, and its arguments.
var (
	pythonName = regexp.MustCompile(`^[A-Za-z_][\w.-]*`)
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
	return readPython(text)
}

// readPython reads calls one behind the other, in a list or not.
func readPython(text string) (reading, bool) {
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

// Gemma prints what its calls return, and has all tools in one namespace.
var (
	printed   = regexp.MustCompile(`(?m)^\s*print\((.*)\)\s*$`)
	namespace = regexp.MustCompile(`(?m)^\s*(?:default_api|tools|functions)\.`)
)

// readToolCode reads what Gemma writes into its fence.
func readToolCode(text string, _ bool, _ offer) (reading, bool) {
	return readPython(strings.TrimSpace(namespace.ReplaceAllString(printed.ReplaceAllString(text, "$1"), "")))
}
