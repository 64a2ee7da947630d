package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// openCards are the cards of a chat that nobody has decided.
func openCards(events []map[string]any) (open []string) {
	for _, e := range events {
		id, _ := e["approvalId"].(string)
		if i := slices.Index(open, id); e["type"] == "approval-requested" && i < 0 {
			open = append(open, id)
		} else if e["type"] == "approval-decided" && i >= 0 {
			open = slices.Delete(open, i, i+1)
		}
	}
	return open
}

// restsWithAgents waits until a run has ended, or it or an agent that works for it waits for a
// person. A run that waits for its agents is paused, too.
func (a api) restsWithAgents(conversation, run string) map[string]any {
	a.t.Helper()
	var v map[string]any
	agenttest.Eventually(a.t, "the rest of run "+run+" and its agents", func() bool {
		v = a.rests(run)
		return v["status"] != "paused" || len(openCards(a.events(conversation, 0))) > 0
	})
	return v
}

// lastAnswer is what the model has said last in a chat.
func lastAnswer(events []map[string]any) (text string) {
	for _, e := range ofType(events, "message") {
		if m := e["message"].(map[string]any); m["role"] == "assistant" && m["content"] != "" {
			text = m["content"].(string)
		}
	}
	return text
}

// TestDialoguesOfAgentsEnd plays how the dialogues of several agents go on after a decision.
func TestDialoguesOfAgentsEnd(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	all := startProgram(t, data, atOnce).admin()
	for name, row := range map[string]struct {
		words, decision string
		says            []string
		line            string // in notes.txt
	}{
		"approved":            {"Have the coder append a line to notes.txt", `{"decision":"approve"}`, []string{"The coder has appended the line to notes.txt"}, "Buy new fuses.\n"},
		"approved, Chinese":   {"让程序员在 notes.txt 里追加一行", `{"decision":"approve"}`, []string{"coder 已在 notes.txt 中追加一行"}, "购买新的保险丝。\n"},
		"rejected":            {"Have the coder append a line to notes.txt", `{"decision":"reject","comment":"not today"}`, []string{"The coder has not changed notes.txt", "not today"}, ""},
		"wrapped up":          {"Show how one agent loops while another finishes", `{"decision":"resume","answer":"finish_now"}`, []string{"The agent analyst was stopped", "The agent writer has done its task"}, ""},
		"wrapped up, Chinese": {"演示一个智能体陷入循环而另一个正常完成", `{"decision":"resume","answer":"finish_now"}`, []string{"智能体 analyst 没有完成任务", "智能体 writer 完成了任务"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := all
			a.t = t
			conversation, run := a.ask(row.words)
			a.restsWithAgents(conversation, run)
			open := openCards(a.events(conversation, 0))
			if len(open) != 1 {
				t.Fatalf("%d cards are open", len(open))
			}
			card := a.must("GET", "/api/v1/approvals/"+open[0], "")
			if card["runId"] == run {
				t.Error("the card is of the run that has handed the task over")
			}
			a.must("POST", "/api/v1/approvals/"+open[0]+"/decision", naming(card, row.decision))
			if got := a.restsWithAgents(conversation, run); got["status"] != "finished" || got["stopReason"] != "goal" {
				t.Errorf("it ended %v by %v", got["status"], got["stopReason"])
			}
			answer := lastAnswer(a.events(conversation, 0))
			for _, part := range row.says {
				if !strings.Contains(answer, part) {
					t.Errorf("the answer %q lacks %q", answer, part)
				}
			}
			written, err := os.ReadFile(filepath.Join(data, "workspaces", conversation, "notes.txt"))
			if string(written) != row.line || (err != nil) != (row.line == "") {
				t.Errorf("notes.txt has %q, %v", written, err)
			}
		})
	}
}

// TestAgentsHandBack: the answer has what the agents have handed back, and says who did what.
func TestAgentsHandBack(t *testing.T) {
	t.Parallel()
	all := startProgram(t, t.TempDir(), atOnce).admin()
	for words, says := range map[string][]string{
		"Compare the weather in Berlin, Paris, and Rome, one agent per city":  {"| Berlin |", "| Rome |", " °C |", "It is warmest in "},
		"让三个智能体分别查询北京、上海和广州的天气并比较":                                            {"| 北京 |", " °C |", "最热。"},
		"Have a short text about green tea researched, written, and reviewed": {"Sources: ", "**reviewer** rejected it", "**reviewer** accepted it"},
		"请研究、撰写并审阅一篇关于绿茶的短文":                                                  {"来源：", "退回了这一版", "接受了这一版"},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			a := all
			a.t = t
			conversation, run := a.ask(words)
			if got := a.restsWithAgents(conversation, run); got["status"] != "finished" || got["stopReason"] != "goal" {
				t.Errorf("it ended %v by %v", got["status"], got["stopReason"])
			}
			answer := lastAnswer(a.events(conversation, 0))
			for _, part := range says {
				if !strings.Contains(answer, part) {
					t.Errorf("the answer %q lacks %q", answer, part)
				}
			}
		})
	}
}
