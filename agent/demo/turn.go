package demo

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"fusebox/agent/demo/wire"
)

// turn is a person's request, and what was done for it since: all that a rule sees.
type turn struct {
	text    string // as the person wrote it
	plain   string // in lower case, without hyphens and doubled spaces
	words   string // its words, see wordsOf
	model   string // the name under which the model is asked
	now     time.Time
	before  string   // words of the request before this one
	said    string   // the last text of the model before the request
	zh      bool     // the person writes Chinese
	steps   []step   // the answers with calls since the request, but for searches
	found   []step   // searches for tools since the request
	offered []string // names of the tools that may be called now
	tools   []wire.Tool
	summary string // of what was before the request, where a client has made one
	// agent is the agent that another one asks as, "" for none; inputs is what came with its task.
	agent  string
	inputs map[string]any
	owed   map[string]string // the types of the outputs that it is to deliver, by their names
	// guidance is what a person said of this run, reminder what the program
	// reminds of in the newest message; both "" for nothing.
	guidance, reminder string
}

// step is one answer with its calls and their results, in the same order.
type step struct {
	calls   []call
	results []string
}

// call is a tool call that a rule wants, or made.
type call struct {
	name string
	args string
}

// notRequests begin the user messages that no person wrote.
var notRequests = []string{reminderPrefix, "Please continue the tool calls", summaryPrefix}

// reminderPrefix begins what the program says, in a message of its own or behind the
// person's words.
const reminderPrefix = "[System reminder]"

// summaryPrefix begins the message that stands for older ones.
const summaryPrefix = "[Summary of the earlier conversation]"

func isRequest(m wire.Message) bool {
	return m.Role == "user" && !slices.ContainsFunc(notRequests, func(prefix string) bool {
		return strings.HasPrefix(strings.TrimSpace(string(m.Content)), prefix)
	})
}

// newTurn finds the request that the end of the history serves.
func newTurn(r request, now time.Time) turn {
	t := turn{model: r.Model, now: now, tools: r.mayCall()}
	start := len(r.Messages)
	for i, m := range slices.Backward(r.Messages) {
		if !isRequest(m) {
			continue
		}
		if t.text != "" {
			t.before = wordsOf(string(m.Content))
			break
		}
		text, reminder, _ := strings.Cut(string(m.Content), "\n\n"+reminderPrefix)
		t.text, start = strings.TrimSpace(text), i+1
		if reminder != "" && start == len(r.Messages) {
			t.reminder = reminderPrefix + reminder
		}
		if t.text == "" {
			break
		}
	}
	if t.agent = inSystem(agentLine(), r.Messages); t.agent != "" {
		t.text, t.inputs = taskOf(t.text)
		t.owed = declaredOutputs(inSystem(owedLine(), r.Messages))
	}
	t.plain, t.words = plain(t.text), wordsOf(t.text)
	for _, m := range r.Messages[:max(start-1, 0)] {
		if m.Role == "assistant" && m.Content != "" {
			t.said = string(m.Content)
		}
	}
	t.summary = summaryOf(r.Messages[:max(start-1, 0)])
	t.zh = strings.ContainsFunc(t.text, func(c rune) bool { return unicode.Is(unicode.Han, c) })
	for _, s := range stepsOf(r.Messages[start:]) {
		if s.calls[0].name == finder {
			t.found = append(t.found, s)
		} else {
			t.steps = append(t.steps, s)
		}
	}
	if n := len(r.Messages); n > start && r.Messages[n-1].Role == "user" {
		t.reminder = string(r.Messages[n-1].Content)
	}
	t.guidance = guidanceOf(r.Messages[max(start-1, 0):])
	for _, tool := range t.tools {
		t.offered = append(t.offered, tool.Function.Name)
	}
	return t
}

// summaryOf is the summary right before a request, "" for none. An answer may stand
// between them, where roles have to alternate.
func summaryOf(before []wire.Message) string {
	if n := len(before); n > 1 && before[n-1].Role == "assistant" {
		before = before[:n-1]
	}
	if len(before) == 0 {
		return ""
	}
	if text, found := strings.CutPrefix(string(before[len(before)-1].Content), summaryPrefix); found {
		return text
	}
	return ""
}

func stepsOf(messages []wire.Message) []step {
	var steps []step
	results := map[string]string{}
	for _, m := range messages {
		if m.Role == "tool" {
			result := string(m.Content)
			// What a server's tool says is wrapped as untrusted data.
			if head, body, wrapped := strings.Cut(result, "<untrusted>\n"); wrapped && strings.HasPrefix(head, "[From the server ") {
				result = strings.TrimSuffix(body, "\n</untrusted>")
			}
			results[m.ToolCallID] = result
		}
	}
	for _, m := range messages {
		if len(m.ToolCalls) == 0 {
			continue
		}
		var s step
		for _, c := range m.ToolCalls {
			s.calls = append(s.calls, call{name: c.Function.Name, args: c.Function.Arguments})
			s.results = append(s.results, results[c.ID])
		}
		steps = append(steps, s)
	}
	return steps
}

func plain(s string) string {
	s = strings.ToLower(strings.NewReplacer("-", " ", "_", " ", "’", "'").Replace(s))
	return strings.Join(strings.Fields(s), " ")
}

func (t turn) says(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(t.plain, p) })
}

func (t turn) may(tools ...string) bool {
	return !slices.ContainsFunc(tools, func(name string) bool { return !slices.Contains(t.offered, name) })
}

// in picks the person's language.
func (t turn) in(english, chinese string) string {
	if t.zh {
		return chinese
	}
	return english
}

func (t turn) last() (s step, ok bool) {
	if len(t.steps) == 0 {
		return step{}, false
	}
	return t.steps[len(t.steps)-1], true
}

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
