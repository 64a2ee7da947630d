package answer

import "strings"

// actionInput is what stands before the arguments.
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
