package answer

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"fusebox/agent"
)

// tags are how a dialect writes one call: what opens it, with its name; what opens an
// argument, with its name; and what closes both.
type tags struct {
	open  *regexp.Regexp
	shut  string // "" where the call ends with its text
	arg   *regexp.Regexp
	next  string // how arg begins
	ended string
}

// argKey begins an argument as GLM writes it.
const argKey = "<arg_key>"

var (
	functionTags = tags{
		open: regexp.MustCompile(`^<function=([^>\s]+)\s*>`), shut: "</function>",
		arg: regexp.MustCompile(`^<parameter=([^>]+?)\s*>`), next: "<parameter=", ended: "</parameter>",
	}
	argTags = tags{
		open: regexp.MustCompile(`^([\w./:-]+)`),
		arg:  regexp.MustCompile(`^<arg_key>\s*([^<]+?)\s*</arg_key>\s*<arg_value>`), next: argKey, ended: "</arg_value>",
	}
	invokeTags = []tags{invoke(""), invoke("antml:"), invoke("｜DSML｜")}
)

// invoke are the tags of those who write <invoke name="…">, with something before each name.
func invoke(prefix string) tags {
	return tags{
		open: regexp.MustCompile(`^<` + prefix + `invoke name="([^"]+)"\s*>`), shut: "</" + prefix + "invoke>",
		arg: regexp.MustCompile(`^<` + prefix + `parameter name="([^"]+)"(?: string="(true|false)")?\s*>`), next: "<" + prefix + "parameter ", ended: "</" + prefix + "parameter>",
	}
}

// readTagged reads what models write between tags: JSON, or more tags.
func readTagged(text string, closed bool, o offer) (reading, bool) {
	switch {
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return readJSON(text)
	case strings.HasPrefix(text, "<function="):
		return functionTags.readAll(text, o)
	}
	for _, t := range invokeTags {
		if t.open.MatchString(text) {
			return t.readAll(text, o)
		}
	}
	if name, args, split := strings.Cut(text, "\n"); split && IsObject(RepairArguments(args)) && strings.TrimSpace(args) != "" {
		return one(name, RepairArguments(args))
	}
	if !closed {
		return reading{}, false // more arguments may have been on their way
	}
	return argTags.readAll(text, o)
}

// readTaggedCalls reads what is between the tags around all calls: a tag for each, or JSON.
func readTaggedCalls(text string, closed bool, o offer) (reading, bool) {
	if strings.HasPrefix(text, "<tool_call>") {
		return within("<tool_call>", "</tool_call>", readTagged)(text, closed, o)
	}
	return readJSON(text)
}

// readFunctions reads calls whose first outer tag is missing, as Qwen's coders leave it out.
func readFunctions(text string, _ bool, o offer) (reading, bool) {
	return functionTags.readAll(text, o)
}

// gap matches the text between two calls and after the last one.
var gap = regexp.MustCompile(`^(?:\s|</?tool_call>)+`)

func (t tags) readAll(text string, o offer) (all reading, ok bool) {
	for rest := text; rest != ""; rest = gap.ReplaceAllString(rest, "") {
		name := t.open.FindStringSubmatch(rest)
		if name == nil || len(all.calls) > maxCalls {
			return reading{}, false
		}
		args, tail, ok := t.args(o.tool(name[1]), rest[len(name[0]):], o)
		if !ok {
			return reading{}, false
		}
		all.calls, rest = append(all.calls, agent.CallRequest{Name: name[1], Arguments: args}), tail
	}
	return all, true
}

// args reads the arguments of a call and its end. Llama writes them as JSON.
func (t tags) args(tool, text string, o offer) (args, tail string, ok bool) {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "{") {
		value, tail, ok := jsonAhead(rest)
		tail, ended := strings.CutPrefix(strings.TrimSpace(tail), t.shut)
		return string(value), tail, ok && ended
	}
	values := make(map[string]any)
	for {
		if tail, ended := strings.CutPrefix(rest, t.shut); ended && (t.shut != "" || rest == "") {
			return encodeArgs(values), tail, true
		}
		key := t.arg.FindStringSubmatch(rest)
		if key == nil {
			return "", "", false
		}
		value, tail, ok := t.value(rest[len(key[0]):])
		if !ok {
			return "", "", false
		}
		if values[key[1]] = value; len(key) < 3 || key[2] != "true" {
			values[key[1]] = o.typed(tool, key[1], value)
		}
		rest = tail
	}
}

// value reads an argument. It may hold closing tags itself: the one that counts stands
// before the next argument, or the end of the call.
func (t tags) value(text string) (value, tail string, ok bool) {
	for at := 0; ; {
		inner, rest, found := strings.Cut(text[at:], t.ended)
		if !found {
			return "", "", false
		}
		at += len(inner)
		rest = strings.TrimSpace(rest)
		if rest == "" && t.shut == "" || strings.HasPrefix(rest, t.next) || t.shut != "" && strings.HasPrefix(rest, t.shut) {
			return onItsLines(text[:at]), rest, true
		}
		at += len(t.ended)
	}
}

// onItsLines is a value without the line ends that only set it off from its tags.
func onItsLines(value string) string {
	for _, end := range []string{"\r\n", "\n"} {
		if inner, ok := strings.CutPrefix(value, end); ok {
			return strings.TrimSuffix(inner, end)
		}
	}
	return value
}

func encodeArgs(values map[string]any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(values) // strings, and JSON that was found valid
	return strings.TrimSuffix(b.String(), "\n")
}

func one(name, args string) (reading, bool) {
	return reading{calls: []agent.CallRequest{{Name: strings.TrimSpace(name), Arguments: args}}}, true
}
