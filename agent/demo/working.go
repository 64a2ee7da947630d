package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent/demo/reports"
	"fusebox/agent/demo/wire"
)

// agentLine names, in the system prompt, the agent that another one has given a task.
var agentLine = pattern(`(?m)^You are the agent ([a-z][a-z0-9_-]*), working for another agent\.`)

// inSystem returns the part of the system prompt that an expression captures, "" for none.
func inSystem(line *regexp.Regexp, messages []wire.Message) string {
	for _, m := range messages {
		if m.Role == "system" || m.Role == "developer" {
			if found := line.FindStringSubmatch(string(m.Content)); found != nil {
				return found[1]
			}
		}
	}
	return ""
}

// taskOf parts a task from its inputs, which stand behind it as a block of JSON.
func taskOf(text string) (task string, inputs map[string]any) {
	task, behind, _ := strings.Cut(text, "\n\nInputs:")
	if _, block, found := strings.Cut(behind, "```json\n"); found {
		_ = json.NewDecoder(strings.NewReader(block)).Decode(&inputs) // a task without inputs
	}
	return strings.TrimSpace(task), inputs
}

// job is what an agent does with a task.
type job struct {
	agent   string
	phrases []string // one of them in the task tells it
	reply   func(t turn) answer
}

var jobs = []job{
	{"researcher", []string{"collect facts about", "收集关于"}, researching},
	{"writer", []string{"write a short text about", "写一篇关于"}, writing},
	{"writer", []string{"write a sentence about fuses", "写一句关于保险丝的话"}, versing},
	{"reviewer", []string{"review this text", "审阅这篇短文"}, reviewing},
	{"coder", []string{"append the line", "末尾追加一行"}, appending},
	{"analyst", []string{"watch … until it changes", "盯住…直到它发生变化"}, watching},
}

// working does the tasks that the demo model gives itself, as another agent. Other tasks are
// for the other rules.
func working(t turn) (answer, bool) {
	if t.agent == "" {
		return answer{}, false
	}
	for _, j := range jobs {
		if j.agent == t.agent && t.means(j.phrases...) {
			return j.reply(t), true
		}
	}
	if cities := reports.Cities(t.words); len(cities) == 1 && t.means(weatherWords...) {
		return measuring(t, cities), true
	}
	return answer{}, false
}

// deliver hands over the values that were not handed over yet, then answers.
func (t turn) deliver(text string, values map[string]any) answer {
	var calls []call
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if t.may(emitTool) && !t.emitted(name) {
			calls = append(calls, invoke(emitTool, map[string]any{"name": name, "value": values[name]}))
		}
	}
	if len(calls) > 0 {
		return use(calls...)
	}
	return say(text)
}

func (t turn) emitted(name string) bool {
	return slices.ContainsFunc(t.steps, func(s step) bool {
		return slices.ContainsFunc(s.calls, func(c call) bool { return c.name == emitTool && argument(c, "name") == name })
	})
}

func measuring(t turn, city []reports.City) answer {
	if len(t.steps) == 0 {
		return t.lookUps(city)
	}
	text, w := sentences(t, t.steps[0]), reports.Read(t.steps[0].results[0])
	if !w.Known() {
		return say(text)
	}
	return t.deliver(text, map[string]any{"temperature": *w.Celsius})
}

const maxFacts = 3

// researching collects facts, each with its source, from the web.
func researching(t turn) answer {
	topic := t.text
	for _, around := range []string{"Collect facts about ", "收集关于"} {
		topic = strings.TrimPrefix(topic, around)
	}
	topic = strings.TrimSuffix(strings.TrimSuffix(topic, "."), "的事实。")
	if len(t.steps) == 0 {
		return t.use(invoke(searchTool, map[string]any{"query": topic, "count": maxFacts}))
	}
	facts, lines := []any{}, []string{}
	for _, p := range readPages(t.steps[0].results[0]) {
		facts = append(facts, map[string]any{"fact": p.text, "source": p.title})
		lines = append(lines, fmt.Sprintf("- **%s**: %s %s", p.title, quote(p.text), p.n))
	}
	text := t.in("These are the facts:", "找到的事实：") + "\n\n" + strings.Join(lines, "\n")
	if len(facts) == 0 {
		text = t.in("I found nothing about that on the web.", "网上没有找到相关内容。")
	}
	return t.deliver(text, map[string]any{"facts": facts})
}

// sourcesHead begins the last line of a text, which the reviewer wants.
var sourcesHead = planned{"Sources: ", "来源："}

// writing makes a text of facts. It does not name their sources before it is told to.
func writing(t turn) answer {
	facts, _ := t.inputs["facts"].([]any)
	var says, from []string
	for _, f := range facts {
		if f, ok := f.(map[string]any); ok {
			says, from = append(says, quote(fmt.Sprint(f["fact"]))), append(from, quote(fmt.Sprint(f["source"])))
		}
	}
	if len(says) == 0 {
		return say(t.in("I was given no facts, so I write nothing.", "没有给我任何事实，所以我什么也不写。"))
	}
	text := strings.Join(says, t.in(" ", ""))
	if t.inputs["remarks"] != nil {
		text += "\n\n" + t.in(sourcesHead.english, sourcesHead.chinese) + strings.Join(from, t.in(", ", "、"))
	}
	return t.deliver(text, map[string]any{"text": text})
}

func versing(t turn) answer {
	return say(t.in("A fuse gives up so that the house need not.", "保险丝牺牲自己，保全整座房子。"))
}

// reviewing accepts a text that names its sources.
func reviewing(t turn) answer {
	text, _ := t.inputs["text"].(string)
	accepted := strings.Contains(text, sourcesHead.english) || strings.Contains(text, sourcesHead.chinese)
	verdict := t.in("I reject it. ", "不予接受。")
	remarks := t.in("It does not say where its facts come from. Name the sources at the end.", "短文没有说明事实出自哪里。请在末尾注明来源。")
	if accepted {
		verdict = t.in("I accept it. ", "予以接受。")
		remarks = t.in("It is short, and says where its facts come from.", "短文简洁，并说明了事实的来源。")
	}
	return t.deliver(verdict+remarks, map[string]any{"accepted": accepted, "remarks": remarks})
}

// appending runs a command that appends the line that the task quotes to its file.
func appending(t turn) answer {
	line, path := quoted().FindStringSubmatch(t.text), fileName().FindString(quoted().ReplaceAllString(t.text, ""))
	if line == nil || path == "" {
		return say(t.in("The task does not say which line belongs into which file.", "任务没有说明要把哪一行写进哪个文件。"))
	}
	command := "echo '" + strings.ReplaceAll(line[1], "'", `'\''`) + "' >> " + path
	return commanding(command, planned{"I will append the line.", "我来追加这一行。"})(t)
}

// watching reads the same file again and again. Without tools it hands in what it has read.
func watching(t turn) answer {
	path := fileName().FindString(t.text)
	if len(t.steps) > 0 && !t.may("read_file") {
		return say(t.in(
			fmt.Sprintf("%s has not changed while I looked. It begins: %s", path, quote(t.steps[0].results[0])),
			fmt.Sprintf("我查看期间 %s 没有变化。它的开头是：%s", path, quote(t.steps[0].results[0]))))
	}
	return circling(t, invoke("read_file", map[string]any{"path": path}))
}
