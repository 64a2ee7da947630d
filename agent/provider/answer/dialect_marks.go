package answer

import (
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

// The parts of a message of Harmony: who it is for, what it is, and where it ends. Some
// servers leave the tokens between them out.
var (
	harmonyHeader  = regexp.MustCompile(`^(?:<\|start\|>)?\s*(?:assistant)?(?:\s*to=[^\s<]+)?\s*(?:<\|channel\|>\s*(?:analysis|commentary|final)(?:\s*to=[^\s<]+)?)?\s*(?:<\|constrain\|>)?\s*\w*\s*$`)
	harmonyTo      = regexp.MustCompile(`\bto=([^\s<]+)`)
	harmonyChannel = regexp.MustCompile(`<\|channel\|>\s*(\w+)`)
	harmonyEnd     = regexp.MustCompile(`<\|(?:end|call|return)\|>|<\|start\|>`)
	harmonyBare    = regexp.MustCompile(`^(?:assistant)?commentary to=([^\s{]+)\s*(?:json|code)?\s*`)
)

// readHarmony reads messages one behind the other. One for a tool is a call; the channel of
// any other says whether it is a thought.
func readHarmony(text string, _ bool, _ offer) (all reading, ok bool) {
	if m := harmonyBare.FindStringSubmatch(text); m != nil {
		args := text[len(m[0]):]
		r, _ := one(m[1], args)
		return r, IsObject(args)
	}
	for rest := text; rest != ""; {
		header, body, found := strings.Cut(rest, "<|message|>")
		if !found || !harmonyHeader.MatchString(header) || len(all.calls) > maxCalls {
			return reading{}, false
		}
		if rest, ok = all.message(header, body); !ok {
			return reading{}, false
		}
	}
	return all, true
}

// message adds a message, and returns what is behind it.
func (r *reading) message(header, body string) (tail string, ok bool) {
	if to := harmonyTo.FindStringSubmatch(header); to != nil {
		args, tail, ok := jsonAhead(body)
		tail = strings.TrimSpace(tail)
		end := harmonyEnd.FindStringIndex(tail)
		if !ok || !IsObject(string(args)) || tail != "" && (end == nil || end[0] > 0) {
			return "", false
		}
		r.calls = append(r.calls, agent.CallRequest{Name: to[1], Arguments: string(args)})
		return behindEnd(tail, 0), true
	}
	at := len(body)
	if end := harmonyEnd.FindStringIndex(body); end != nil {
		at = end[0]
	}
	if channel := harmonyChannel.FindStringSubmatch(header); channel != nil && channel[1] == "analysis" {
		r.thought += body[:at]
	} else {
		r.text += body[:at]
	}
	return behindEnd(body, at), true
}

// behindEnd is what follows the token at a place that ends a message; the one that begins
// the next belongs to that.
func behindEnd(text string, at int) string {
	rest := text[at:]
	if end := harmonyEnd.FindString(rest); end != "<|start|>" {
		rest = rest[len(end):]
	}
	return strings.TrimSpace(rest)
}

const actionInput = "Action Input:"

// actionStarts looks for the name of a tool on a line of its own, and its input behind it.
func actionStarts(line string) (is, may bool) {
	rest, opened := strings.CutPrefix(line, "Action:")
	if !opened {
		return begins(line, "Action:")
	}
	name, input, ended := strings.Cut(strings.TrimLeft(rest, " \t"), "\n")
	if name = strings.TrimRight(name, " \t\r"); name != pythonName.FindString(name) || len(name) > maxName || ended && name == "" {
		return false, false
	}
	if !ended {
		return false, true
	}
	return begins(strings.TrimLeft(input, blank), actionInput)
}

// readAction reads a call of ReAct: NAME, a line, and its input as JSON. Behind it models go on
// to invent the result, which is left out.
func readAction(text string, _ bool, _ offer) (reading, bool) {
	name, input, ok := strings.Cut(text, actionInput)
	if !ok {
		return reading{}, false
	}
	input = RepairArguments(strings.TrimSpace(input))
	if args, _, whole := jsonAhead(input); whole {
		input = string(args)
	}
	r, _ := one(name, input)
	return r, IsObject(input)
}
