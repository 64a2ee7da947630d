package answer

import (
	"regexp"
	"slices"
	"strings"

	"fusebox/agent"
)

// dialect is a way in which models write tool calls as text.
type dialect struct {
	open string
	// shut ends what open began; "" where the calls go on to the end of the answer.
	shut string
	// control says that open is a token of the model's own, which nobody types: it
	// may stand behind text on its line, too.
	control bool
	// bare is the whole answer, if it is a call at all; else it need not have meant to be one.
	bare bool
	// starts reports whether a line begins with a call, or may when there is more of it; nil
	// where open says so. What starts so is written by people, too: it is meant as a call
	// where it names an offered tool.
	starts func(line string) (is, may bool)
	// read takes the calls between open and shut; a dialect that is whole gets all
	// of the text, from its first open on.
	read  func(text string, closed bool, o offer) (reading, bool)
	whole bool
}

type reading struct {
	calls         []agent.CallRequest
	text, thought string
}

// dialects are those of Qwen, Hermes, and GLM; Qwen's coders; Seed, MiniMax, and LongCat;
// models that were taught by Claude; Hunyuan and Jamba, Nemotron, and Phi; DeepSeek; Kimi;
// Llama; Liquid; InternLM; Mistral; Cohere; gpt-oss, whose is called Harmony; Gemma; models that
// were taught by ReAct; and JSON or Python alone.
var dialects = []dialect{
	{open: "<tool_call>", shut: "</tool_call>", read: readTagged},
	{open: "<function=", shut: "</function>", read: readFunctions, whole: true},
	{open: "<seed:tool_call>", shut: "</seed:tool_call>", read: readTagged},
	{open: "<minimax:tool_call>", shut: "</minimax:tool_call>", read: readTagged},
	{open: "<longcat_tool_call>", shut: "</longcat_tool_call>", read: readTagged},
	{open: "<antml:function_calls>", shut: "</antml:function_calls>", read: readTagged},
	{open: "<function_calls>", shut: "</function_calls>", read: readTagged},
	{open: "<invoke name=", shut: "</invoke>", read: readTagged, whole: true},
	{open: "<tool_calls>", shut: "</tool_calls>", read: readTaggedCalls},
	{open: "<function_call>", shut: "</function_call>", read: readTagged},
	{open: "<TOOLCALL>", shut: "</TOOLCALL>", read: readTagged},
	{open: "<|tool_call|>", shut: "<|/tool_call|>", control: true, read: readTagged},
	{open: "<｜DSML｜function_calls>", shut: "</｜DSML｜function_calls>", control: true, read: readTagged},
	{open: "<｜DSML｜tool_calls>", shut: "</｜DSML｜tool_calls>", control: true, read: readTagged},
	{open: "<｜tool▁calls▁begin｜>", shut: "<｜tool▁calls▁end｜>", control: true, read: within("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", readMark)},
	{open: "<|tool_calls_section_begin|>", shut: "<|tool_calls_section_end|>", control: true, read: within("<|tool_call_begin|>", "<|tool_call_end|>", readKimi)},
	{open: "<|tool_call_begin|>", shut: "<|tool_call_end|>", control: true, read: readKimi},
	{open: "<|python_tag|>", control: true, read: readPythonTag},
	{open: "<|python_start|>", shut: "<|python_end|>", control: true, read: readPythonTag},
	{open: "<|tool_call_start|>", shut: "<|tool_call_end|>", control: true, read: readPythonTag},
	{open: "<|action_start|><|plugin|>", shut: "<|action_end|>", control: true, read: readTagged},
	{open: "functools[", read: readFunctools, whole: true},
	{open: "<|START_ACTION|>", shut: "<|END_ACTION|>", control: true, read: readTagged},
	{open: "[TOOL_CALLS]", control: true, read: readMistral, whole: true},
	{open: "<|start|>", control: true, read: readHarmony, whole: true},
	{open: "<|channel|>", control: true, read: readHarmony, whole: true},
	{open: "assistant<|channel|>", read: readHarmony, whole: true},
	{open: "commentary to=", read: readHarmony, whole: true}, // without its tokens
	{open: "assistantcommentary to=", read: readHarmony, whole: true},
	{open: "```tool_code", shut: "```", starts: func(line string) (is, may bool) { return begins(line, "```tool_code\n") }, read: readToolCode},
	{open: "Action:", starts: actionStarts, read: readAction},
	{open: "{", bare: true, starts: objectStarts, read: readBare, whole: true},
	{open: "[", bare: true, starts: listStarts, read: readBare, whole: true},
}

func (d dialect) begins(line string, started bool) (is, may bool) {
	switch {
	case d.bare && started:
		return false, false
	case d.starts != nil:
		return d.starts(line)
	default:
		return begins(line, d.open)
	}
}

// readAll takes all calls of a text that contains nothing else.
func (d dialect) readAll(text string, o offer) (reading, bool) {
	switch {
	case d.whole:
		return d.read(text, true, o)
	case d.shut == "":
		return d.read(strings.TrimSpace(text[len(d.open):]), true, o)
	default:
		return within(d.open, d.shut, d.read)(text, true, o)
	}
}

// verdict classifies a text that begins as a call.
type verdict int

const (
	isCalls   verdict = iota
	isMistake         // it was meant to be a call and cannot be made
	isShown           // it may have been meant to be one, and says more than that
	isProse           // it is about such calls
)

// notWhole is the usual reason for which a call cannot be made.
const notWhole = "it is not whole"

// stops are tokens that end an answer, and are left in it by some servers.
var stops = regexp.MustCompile(`(?:\s|<\|(?:im_end|im_start|end|call|return|eom_id|eot_id|endoftext|end_of_text|observation|user)\|>|</s>|<｜end▁of▁sentence｜>|<eos>)+$`)

// readMarkup reads the calls of a text that begins as one. They count only where each
// names an offered tool; why says what was wrong. inLine says that there is text before
// it on its line.
func readMarkup(text string, inLine bool, tools []agent.ToolSpec) (r reading, v verdict, why string) {
	o := newOffer(tools)
	text = stops.ReplaceAllString(strings.TrimSpace(text), "")
	for _, d := range dialects {
		if !strings.HasPrefix(text, d.open) {
			continue
		}
		r, ok := d.readAll(text, o)
		if !ok || len(r.calls) > maxCalls || len(r.calls) == 0 && r.text+r.thought == "" {
			return reading{}, d.judge(text, inLine, o), notWhole
		}
		why := o.resolve(r.calls)
		switch {
		case d.bare && (why != "" || slices.ContainsFunc(r.calls, func(c agent.CallRequest) bool { return !FitsSchema(o[c.Name].schema, c.Arguments) })):
			return reading{}, isProse, ""
		case why == "":
			return r, isCalls, ""
		case len(o) == 0:
			return reading{}, isShown, why
		default:
			return reading{}, isMistake, why
		}
	}
	return reading{}, isProse, ""
}

// judge is the verdict about a text of which no calls can be read. One that says more than a
// call is shown. One that only tells how calls are written has a sentence behind the mark,
// and names no tool where a call would.
func (d dialect) judge(text string, inLine bool, o offer) verdict {
	named, end := o.namedIn(text), strings.LastIndex(text, d.shut)
	more := d.shut != "" && end >= 0 && gap.ReplaceAllString(text[end+len(d.shut):], "") != ""
	if d.starts != nil {
		named = named || o.namedIn(d.open+strings.TrimLeft(text[len(d.open):], " \t"))
	}
	switch {
	case d.bare, d.starts != nil && !named, d.tells(text), more && !named:
		return isProse
	case more:
		return isShown
	case named:
		return isMistake
	case inLine:
		return isProse
	case len(o) == 0, strings.HasSuffix(d.open, "="), sentence.MatchString(text): // half a tag may be one of another language
		return isShown
	default:
		return isMistake
	}
}

// sentence finds a line that begins with words.
var sentence = regexp.MustCompile(`(?m)^(?:[-*+] |\d+[.)] )? {0,3}(?:\pL[\w'’-]*[,.:]? +){3}[\pL\d(]`)

// maxTold bounds the text that is looked at to see whether it is about a call.
const maxTold = 256

// tells reports whether a text that begins with a mark is about it, and no call.
func (d dialect) tells(text string) bool {
	text = strings.TrimLeft(text, " ")
	text = text[:min(len(text), maxTold)]
	switch {
	case d.bare:
		// Data may have a name as well: what stands behind the name in a call is known.
		m := secondKey.FindStringSubmatch(text)
		return m != nil && !slices.Contains([]string{"arguments", "parameters", "type", "id"}, m[1])
	case d.starts != nil:
		return false
	}
	return talks.MatchString(text[len(d.open):])
}

// talks finds a sentence behind a mark.
var talks = regexp.MustCompile(`^(?:(?:['’]?s)?\s+[\w'’-]+,?[ \t]+[\pL\d(]|\s+(?:and|or)\b|\s*[^\x00-\x7F]|\s*[,.;:!?)])`)

// secondKey is the key behind a name, in an object or the first of a list.
var secondKey = regexp.MustCompile(`^\[?\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"(\w*)"`)

// begins reports whether text begins with mark, or may when there is more of it.
func begins(text, mark string) (is, may bool) {
	return strings.HasPrefix(text, mark), len(text) < len(mark) && strings.HasPrefix(mark, text)
}

// within reads what is between pairs of marks, and nothing outside them.
func within(open, shut string, read func(string, bool, offer) (reading, bool)) func(string, bool, offer) (reading, bool) {
	return func(text string, _ bool, o offer) (all reading, ok bool) {
		for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
			after, opened := strings.CutPrefix(rest, open)
			if !opened || len(all.calls) > maxCalls {
				return reading{}, false
			}
			r, tail, ok := upTo(after, open, shut, func(inner string, closed bool) (reading, bool) { return read(inner, closed, o) })
			if !ok {
				return reading{}, false
			}
			all.calls, rest = append(all.calls, r.calls...), tail
		}
		return all, true
	}
}

// upTo reads what stands before a closing mark: the first behind which there is another
// opening one, or nothing, as an argument may hold such marks itself. The last of an answer
// may be missing, as servers that stop there leave it out.
func upTo(text, open, shut string, read func(string, bool) (reading, bool)) (r reading, tail string, ok bool) {
	inner, rest, found := strings.Cut(text, shut)
	if !found {
		r, ok = read(strings.TrimSpace(text), false)
		return r, "", ok
	}
	for at := len(inner); found; at += len(shut) + len(inner) {
		if tail = strings.TrimSpace(rest); tail == "" || strings.HasPrefix(tail, open) {
			r, ok = read(strings.TrimSpace(text[:at]), true)
			return r, tail, ok
		}
		inner, rest, found = strings.Cut(rest, shut)
	}
	return reading{}, "", false
}
