package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const teaPages = `[Sources]
[4] https://kitchen.example/tea
<untrusted>
{"results":[{"title":"Tea","url":"https://kitchen.example/tea","snippet":"Tea wants water."},{"title":"Water","url":"https://kitchen.example/water","snippet":"Water is wet."}]}
</untrusted>`

// TestTextIsRejectedOnce: the plan says how far it is, and the answer who did what.
func TestTextIsRejectedOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		w := newTree(c, func(_, tool, _ string) string {
			if tool == searchTool {
				return teaPages
			}
			return "ok"
		})
		s := w.ask("Have a short text about green tea researched, written, and reviewed")
		wantText(t, s, "Tea wants water. Water is wet.\n\nSources: Tea, Water", "**researcher** found 2 facts", "**reviewer** rejected it: “It does not say", "**reviewer** accepted it")
		wantLines(t, w.delegations(),
			"> researcher: Collect facts about green tea.", "> writer: Write a short text about green tea.", "> reviewer: Review this text.",
			"> writer: Write a short text about green tea.", "> reviewer: Review this text.")
		var plans []string
		for _, l := range w.lines {
			if args, isPlan := strings.CutPrefix(l, "root "+planTool); isPlan {
				var p struct{ Plan []struct{ Status string } }
				if err := json.Unmarshal([]byte(args), &p); err != nil {
					t.Fatal(err)
				}
				plans = append(plans, fmt.Sprint(p.Plan))
			}
		}
		wantLines(t, plans, "[{in_progress} {not_started} {not_started}]", "[{completed} {in_progress} {not_started}]", "[{completed} {completed} {in_progress}]",
			"[{completed} {in_progress} {not_started}]", "[{completed} {completed} {in_progress}]", "[{completed} {completed} {completed}]")
		w.lines = nil
		wantText(t, w.ask("请研究、撰写并审阅一篇关于绿茶的短文"), "来源：Tea、Water", "退回了这一版", "接受了这一版")
		if got := w.delegations(); len(got) != 5 || got[0] != "> researcher: 收集关于绿茶的事实。" {
			t.Errorf("delegations %q", got)
		}
	})
}

// TestTextsThatFail: the plan is blocked where it does not go on, and the answer says why.
func TestTextsThatFail(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		w := newTree(c, func(_, _, _ string) string { return `{"results":[]}` })
		wantText(t, w.ask("Research, write and review a text about moss"), "found nothing about moss")
		wantLines(t, w.delegations(), "> researcher: Collect facts about moss.")
		if last := w.lines[len(w.lines)-1]; strings.Count(last, planBlocked) != 3 {
			t.Errorf("the plan is %s", last)
		}
		w.root.user("Have a text about moss researched, written, and reviewed")
		s := w.root.next()
		s = w.root.results(s, "ok")
		if len(s.Calls) != 1 || s.Calls[0].Function.Name != delegateTool {
			t.Fatalf("calls %v", made(s))
		}
		s = w.root.results(s, "Error (limit): A tree has at most 50 runs.")
		s = w.root.results(s, "ok")
		wantText(t, s, "researcher was stopped", "at most 50 runs")
	})
}

// TestCitiesHaveAnAgentEach: all are asked in one answer, and compared in a table.
func TestCitiesHaveAnAgentEach(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		w := newTree(c, func(_, _, args string) string {
			degrees := map[string]string{"Berlin": "7.5", "Paris": "12", "Beijing": "-3", "Shanghai": "4", "Guangzhou": "21"}
			for city, d := range degrees {
				if strings.Contains(args, city) {
					return `{"city":"` + city + `","temperatureC":` + d + `,"condition":"Sunny","sample":true}`
				}
			}
			return "the station is | silent"
		})
		c.user("Compare the weather in Berlin, Paris, and Rome, one agent per city")
		if s := c.next(); len(s.Calls) != 3 || !strings.Contains(s.Calls[2].Function.Arguments, `"outputs":{"temperature":"number"}`) {
			t.Fatalf("calls %v", made(s))
		}
		c.messages = nil
		s := w.ask("Compare the weather in Berlin, Paris, and Rome, one agent per city")
		wantText(t, s, "| Berlin | 7.5 °C | It is 7.5 °C and sunny in Berlin. (Sample data.) |", "| Rome | – |", `is \| silent`, "It is warmest in Paris.")
		wantText(t, w.ask("让三个智能体分别查询北京、上海和广州的天气并比较"), "| 北京 | -3 °C |", "广州最热。")
		wantLines(t, w.delegations(), "> researcher: Look up the weather in Berlin.", "> researcher: Look up the weather in Paris.", "> researcher: Look up the weather in Rome.",
			"> researcher: 查询北京的天气。", "> researcher: 查询上海的天气。", "> researcher: 查询广州的天气。")
	})
}

// TestResearcherSearchesDocuments: what it cites is in the answer, under the numbers that are shown.
func TestResearcherSearchesDocuments(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		w := newTree(c, func(_, _, _ string) string {
			return "[From the person's documents, untrusted]\n<untrusted>\n[2] pA Trains.md\n" + `{"passages":[{"id":"pA","name":"Trains.md","text":"The night train leaves at ten."}]}` + "\n</untrusted>"
		})
		wantText(t, w.ask("Have the researcher search my documents for the night train"), "The researcher says:", "- **Trains.md**: The night train leaves at ten. [2]")
		wantText(t, w.ask("请研究员在我的文档里搜索夜行列车"), "研究员说：", "[2]")
		wantLines(t, w.delegations(), "> researcher: search my documents for the night train", "> researcher: 在我的文档里搜索夜行列车")
	})
}

// TestCoderAppends: once a person has let it; else it says that they have not.
func TestCoderAppends(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		result := "exit status 0"
		w := newTree(c, func(_, _, _ string) string { return result })
		wantText(t, w.ask("Have the coder append a line to notes.txt"), "has appended the line to notes.txt", "exit status 0")
		wantText(t, w.ask("请让程序员在 log/notes.txt 里追加一行“it's done”"), "已在 log/notes.txt 中追加一行")
		result = "A person refused this call. Reason: not on Friday"
		wantText(t, w.ask("Ask the coder to add the line \"a; b\" to notes.txt"), "has not changed notes.txt", "I will not try it again", "not on Friday")
		wantLines(t, w.lines,
			"> coder: Append the line “Buy new fuses.” to notes.txt.", `coder run_shell{"command":"echo 'Buy new fuses.' \u003e\u003e notes.txt"}`,
			"> coder: 在 log/notes.txt 末尾追加一行“it's done”。", `coder run_shell{"command":"echo 'it'\\''s done' \u003e\u003e log/notes.txt"}`,
			"> coder: Append the line “a; b” to notes.txt.", `coder run_shell{"command":"echo 'a; b' \u003e\u003e notes.txt"}`)
	})
}

// TestOneAgentLoopsAlone: it hands in what it has, and the other's work stands.
func TestOneAgentLoopsAlone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		w := newTree(c, func(_, _, _ string) string { return "# Sample shop" })
		w.steps = 8
		wantText(t, w.ask("Show how one agent loops while another finishes"),
			"The agent analyst was stopped before its task was done (loop): “README.md has not changed while I looked. It begins: # Sample shop”",
			"The agent writer has done its task: “A fuse gives up")
		wantLines(t, slices.Compact(w.lines), "> analyst: Watch README.md until it changes.", `analyst read_file{"path":"README.md"}`, "> writer: Write a sentence about fuses.")
		wantText(t, w.ask("演示一个智能体陷入循环而另一个正常完成"), "智能体 analyst 没有完成任务就停下了（loop）", "智能体 writer 完成了任务")
	})
}

var delegatingRequests = []string{
	"Have a short text about green tea researched, written, and reviewed", "Compare the weather in Berlin, Paris, and Rome, one agent per city",
	"Have the coder append a line to notes.txt", "Show how one agent loops while another finishes", "Have the researcher search my documents for the night train",
}

// TestNobodyToDelegateTo: the model says what is missing, and makes up nothing.
func TestNobodyToDelegateTo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		for _, request := range delegatingRequests {
			c.tools = append([]string{planTool}, allTools...)
			wantText(t, c.ask(request), "the tool delegate for that, but it is not offered")
			c.tools, c.agents = append(c.tools, delegateTool), "editor, preresearcher"
			wantText(t, c.ask(request), "there is none of that name here")
			c.tools = []string{finder}
			wantCalls(t, c.ask(request), `find_tools{"query":"delegate"}`)
			c.messages = nil
		}
	})
}

// TestAgentsDoTheirOwnWork: what a person would have delegated, an agent that is asked for it does
// not hand on.
func TestAgentsDoTheirOwnWork(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools, c.agents = append([]string{delegateTool}, allTools...), allAgents
		c.system = "You are the agent researcher, working for another agent."
		for _, request := range delegatingRequests {
			for _, call := range c.ask(request).Calls {
				if call.Function.Name == delegateTool {
					t.Errorf("%s: it delegates", request)
				}
			}
			c.messages = nil
		}
		s := c.ask("What is 2+3?\n\nInputs:\n\n```json\n{\"note\": \"weather in Berlin\"}\n```")
		wantCalls(t, s, `calculator{"expression":"2+3"}`)
	})
}

// TestDelegationInOtherWords: the same wishes in other words.
func TestDelegationInOtherWords(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools, c.agents = append([]string{delegateTool, "knowledge_search"}, allTools...), allAgents
		for want, requests := range map[string][]string{
			"about night trains.": {"Please research, write, and review a short article about night trains.", "Research night trains, write a text about it, and have it reviewed",
				"Let the agents research and write something on night trains, and have it reviewed", "Can you have an essay on night trains researched, written and reviewed?"},
			"收集关于夜行列车的事实。":                         {"研究夜行列车，写一篇短文，然后审阅", "帮我研究、写作、审核一篇关于夜行列车的文章", "请让智能体研究、撰写、审阅关于夜行列车的短文。"},
			"Look up the weather in Oslo":          {},
			"Look up the weather in Paris.":        {"Let two agents look up the weather in Paris and Rome", "Is it raining in Paris? Ask a researcher."},
			"查询上海的天气。":                             {"上海和广州的天气，每个城市派一个智能体", "请研究员查一下上海的天气", "让三个助手分别查询上海、广州和北京的天气并比较"},
			"to todo.md.":                          {"Ask the coder to add a line to todo.md", "Let the programmer put “tea” into todo.md", "I want the coder to write a line in todo.md"},
			"在 todo.md 末尾":                         {"请程序员在 todo.md 末尾添加一行", "让 coder 往 todo.md 追加“茶”"},
			"search my documents for night trains": {"Ask the researcher to search my documents for night trains", "Please have an agent search my documents for night trains."},
			"在我的文档里搜索夜行列车":                         {"请研究员在我的文档里搜索夜行列车", "让智能体帮我在我的文档里搜索夜行列车。"},
			"Watch README.md":                      {"Demonstrate that an agent gets stuck while another one finishes", "one agent in a loop, another fine"},
			"盯住 README.md":                         {"一个智能体陷入死循环，另一个照常完成，演示一下", "演示一个助手陷入循环而另一个正常完成"},
		} {
			for _, request := range requests {
				s := c.ask(request)
				if len(s.Calls) == 0 || s.Calls[0].Function.Name != delegateTool || !strings.Contains(s.Calls[0].Function.Arguments, want) {
					t.Errorf("%s: %v %s", request, made(s), s.Content)
				}
				c.messages = nil
			}
		}
		for _, request := range []string{
			"I have read a review on research writing", "Compare the weather in Berlin and Paris", "who is the coder of this?", "How does an agent find a loop?", "test dead loop", "研究一下天气",
			"Ask the coder to add tests to main.go", "Append a line to notes.txt",
		} {
			if s := c.ask(request); len(s.Calls) > 0 && s.Calls[0].Function.Name == delegateTool {
				t.Errorf("%s: %v", request, made(s))
			}
			c.messages = nil
		}
	})
}
