package demo

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// owedLine names, in the system prompt, the outputs that a run has to deliver.
var owedLine = pattern(`(?m)^Deliver these outputs with emit_value before you end: (.+)\.$`)

// steppingLines are what agents say of a subject in a step of a workflow, in English and Chinese.
var steppingLines = map[string][2]string{
	"researcher": {"Facts about “%s”: it has been used for long, it costs little, and opinions about it differ.", "关于“%s”的事实：由来已久，花费不多，看法不一。"},
	"analyst":    {"Numbers about “%s”: 3 of 4 people know it, and 1 of 2 uses it.", "关于“%s”的数字：四人中有三人知道，两人中有一人使用。"},
	"writer":     {"“%s” has been used for long. It costs little, and opinions about it differ.", "“%s”由来已久，花费不多，看法不一。"},
	"editor":     {"“%s”: used for long, cheap, and disputed.", "“%s”：由来已久，花费不多，有争议。"},
	"reviewer":   {"Doubts about “%s”: who was asked, and when?", "关于“%s”的疑问：问了谁，什么时候问的？"},
	"coder":      {"For “%s” I would change two files. I have changed nothing and run nothing.", "为了“%s”，我会改两个文件。我没有改动，也没有运行任何内容。"},
}

// secondVersion begins work that was made again after a review.
const secondVersion, secondVersionZH = "Second version. ", "第二版。"

// stepping does the step of a workflow, which comes with the person's message: it says
// something of the subject, by agent, and delivers what is asked for.
func stepping(t turn) (answer, bool) {
	message, isStep := t.inputs["message"].(string)
	if t.agent == "" || !isStep {
		return answer{}, false
	}
	t.zh = strings.ContainsFunc(message, func(c rune) bool { return unicode.Is(unicode.Han, c) })
	topic, _ := t.inputs["topic"].(string)
	options, _ := t.inputs["options"].(string)
	lines, known := steppingLines[t.agent]
	if !known {
		lines = [2]string{"I have worked on “%s”.", "我处理了“%s”。"}
	}
	text := fmt.Sprintf(t.in(lines[0], lines[1]), quote(cmp.Or(topic, options, message))) + t.in(" (A sample of the demo model.)", "（演示模型的示例。）")
	if team, leads := t.inputs["team"].([]any); leads {
		return t.leading(message, team, text), true
	}
	_, again := t.inputs["previous"]
	if again {
		text = t.in(secondVersion, secondVersionZH) + text
	}
	return t.deliver(text, t.owedValues(text)), true
}

// owedValues are values of all outputs that the run has to deliver. A review accepts the second
// version, and a board is done after its second round.
func (t turn) owedValues(text string) map[string]any {
	round, _ := t.inputs["round"].(float64)
	second := false
	for _, in := range t.inputs {
		work, _ := in.(map[string]any)
		said, _ := work["answer"].(string)
		second = second || strings.HasPrefix(said, secondVersion) || strings.HasPrefix(said, secondVersionZH)
	}
	values := map[string]any{}
	for name, kind := range t.owed {
		values[name] = sampleValues[kind]
		switch {
		case kind == "boolean" && round > 0:
			values[name] = round >= 2
		case kind == "boolean":
			values[name] = second
		case name == "remarks" && second:
			values[name] = ""
		case name == "remarks":
			values[name] = t.in("Say what it rests on.", "请说明依据。")
		case kind == "string":
			values[name] = text
		}
	}
	return values
}

// leading hands the message to each of a team, then tells what they have handed back.
func (t turn) leading(message string, team []any, text string) answer {
	back := t.handedBack()
	if len(back) > 0 {
		for _, r := range back {
			text += "\n\n**" + r.agent + "**: " + quote(cmp.Or(r.told(), r.failure(t)))
		}
		return t.deliver(text, t.owedValues(text))
	}
	var tasks []call
	for _, m := range team {
		member, _ := m.(map[string]any)
		name, _ := member["agent"].(string)
		part, _ := member["for"].(string)
		if name != "" {
			tasks = append(tasks, delegate(name, part, map[string]any{"message": message}, nil))
		}
	}
	return delegating(t, tasks...)
}
