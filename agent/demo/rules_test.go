package demo

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func wantCalls(t *testing.T, s said, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, made(s)); diff != "" {
		t.Fatalf("calls (-want +got):\n%s", diff)
	}
	if s.Finish != "tool_calls" {
		t.Errorf("finish reason %q with calls", s.Finish)
	}
}

func wantText(t *testing.T, s said, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s.Content, p) {
			t.Errorf("answer %q lacks %q", s.Content, p)
		}
	}
	if len(s.Calls) > 0 || s.Finish != "stop" {
		t.Errorf("calls %v, finish %q, want text alone", made(s), s.Finish)
	}
}

func TestFixedQuestions(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		for question, want := range map[string]string{
			"Who are you?":       "demo model",
			"你是谁？":               "演示模型",
			"hello":              "Hello",
			"你好！":                "你好",
			"What can you do?":   "weather",
			"你能做什么？":             "天气",
			"help":               "test dead loop",
			"Tell me about cats": "Tell me about cats",
			"讲讲猫":                "讲讲猫",
			"History of this":    "History", // "hi" is not a greeting there
		} {
			wantText(t, c.ask(question), want)
		}
	})
}

const guangzhou = `{"city":"Guangzhou","country":"China","temperatureC":26.0,"humidity":70,"windKmh":12.0,"condition":"Sunny","observedAt":"2026-11-20T08:00Z","sample":true}`

func TestWeather(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("How is the weather in Guangzhou?")
		wantCalls(t, s, `get_weather{"city":"Guangzhou"}`)
		wantText(t, c.results(s, guangzhou), "It is 26 °C and sunny in Guangzhou.", "Sample")
		s = c.ask("广州天气怎么样？")
		wantCalls(t, s, `get_weather{"city":"Guangzhou"}`)
		wantText(t, c.results(s, guangzhou), "广州现在 26 °C，晴。")
		s = c.ask("那香港呢？") // continues with the question before
		wantCalls(t, s, `get_weather{"city":"Hong Kong"}`)
		wantText(t, c.results(s, "the service is down"), "没能查到香港的天气", "the service is down")
		wantText(t, c.ask("And what will the weather be on the moon?"), "which city")
	})
}

func TestSeveralCitiesAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("Compare the weather in Shenzhen, Hong Kong and 成都")
		wantCalls(t, s, `get_weather{"city":"Shenzhen"}`, `get_weather{"city":"Hong Kong"}`, `get_weather{"city":"Chengdu"}`)
		if s.Calls[0].ID == s.Calls[1].ID || s.Calls[0].ID == "" {
			t.Errorf("ids %q and %q", s.Calls[0].ID, s.Calls[1].ID)
		}
	})
}

func TestArithmetic(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		for question, expr := range map[string]string{
			"what is 12*(3+4)?":               "12*(3+4)",
			"Calculate (2 + 3) × 4, please":   "(2 + 3) * 4",
			"算一下 12÷4+1":                      "12/4+1",
			"2^10 - 1 等于多少":                   "2^10 - 1",
			"How much is 3 plus 4 times 5?":   "3+4*5",
			"what is -2*-3 (a small product)": "-2*-3",
		} {
			s := c.ask(question)
			wantCalls(t, s, fmt.Sprintf(`calculator{"expression":%q}`, expr))
			wantText(t, c.results(s, `{"expression":"12*(3+4)","result":84}`), "12*(3+4) = 84")
		}
		s := c.ask("what is 1/0?")
		wantText(t, c.results(s, "division by zero"), "could not calculate 1/0", "division by zero")
		wantText(t, c.ask("what is the plan for 2026-11-20?"), "plan")
	})
}

func TestDeadLoopGoesOnUntilTheToolsAreGone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		for _, request := range []string{"test dead loop", "测试死循环"} {
			s := c.ask(request)
			for range 11 {
				wantCalls(t, s, `calculator{"expression":"1+1"}`)
				c.tools = allTools
				s = c.results(s, `{"expression":"1+1","result":2}`)
				c.messages = append(c.messages, map[string]any{"role": "tool", "tool_call_id": s.Calls[0].ID, "content": "2"})
				c.user("[System reminder] You have made this call before. Try something else.")
				s = c.next()
			}
			for _, call := range s.Calls {
				c.messages = append(c.messages, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": "blocked"})
			}
			c.user("[System reminder] No tools are available any more. Answer now with what you have.")
			c.tools = nil
			if s = c.next(); s.Content == "" || len(s.Calls) > 0 {
				t.Errorf("without tools: %+v", s)
			}
			c.tools = allTools
		}
		wantText(t, c.ask("hello"), "Hello") // the chat continues
	})
}

func TestPingPongAlternates(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("please test ping-pong")
		for i := range 6 {
			wantCalls(t, s, `calculator{"expression":"`+[]string{"1+1", "2+2"}[i%2]+`"}`)
			s = c.results(s, "same as ever")
		}
	})
}

func TestRetryIsRefusedThreeTimesForEachAsking(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		for _, request := range []string{"test retry", "test retry", "测试重试"} {
			c.user(request)
			for range refusedTimes {
				status, header, raw := c.post("/v1/chat/completions", c.body())
				if status != http.StatusTooManyRequests || !strings.Contains(string(raw), `"rate_limit_exceeded"`) || header.Get("Retry-After") != "" {
					t.Fatalf("status %d, header %v: %s", status, header, raw)
				}
			}
			if s := c.next(); s.Content == "" {
				t.Errorf("no answer after the refusals: %+v", s)
			}
		}
	})
}

func TestBudgetReportsWhatItSpends(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		seen := map[string]bool{}
		s := c.ask("测试预算")
		for i := range spentSteps {
			if len(s.Calls) != 1 || seen[made(s)[0]] {
				t.Fatalf("step %d: %v", i, made(s))
			}
			seen[made(s)[0]] = true
			if s.Usage.PromptTokens != spentInput || s.Usage.CompletionTokens != spentOutput || s.Usage.TotalTokens != spentInput+spentOutput {
				t.Fatalf("usage %+v", s.Usage)
			}
			s = c.results(s, "fine")
		}
		wantText(t, s, "完成")
	})
}

func TestApprovalTellsHowItEnded(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("test approval")
		wantCalls(t, s, `run_shell{"command":"rm -f build/* \u0026\u0026 echo \"build removed\" \u003e\u003e cleanup.log"}`)
		wantText(t, c.results(s, "exit status 0"), "ran", "exit status 0")
		s = c.ask("test critical approval")
		wantCalls(t, s, `run_shell{"command":"rm -rf build \u0026\u0026 echo \"build removed\" \u003e\u003e cleanup.log"}`)
		wantText(t, c.results(s, "exit status 0"), "ran", "exit status 0")
		s = c.ask("测试审批")
		wantText(t, c.results(s, "A person refused this call. Reason: not on Friday"), "不会再试", "not on Friday")
	})
}

func TestQuestionTellsWhatWasChosen(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("test question")
		wantText(t, s, "ask_user", "not offered")
		c.tools = append([]string{"ask_user"}, allTools...)
		s = c.ask("test question")
		wantCalls(t, s, `ask_user{"options":["Red","Green","Blue"],"question":"Which colour shall the new door have?"}`)
		wantText(t, c.results(s, "Green"), "Green")
		s = c.ask("test choose")
		wantCalls(t, s, `ask_user{"free_text":false,"multiple":true,"options":["A summary","A table","A chart"],"question":"Which of these shall the report have?"}`)
		wantText(t, c.results(s, "A summary; A chart"), "A summary; A chart")
		s = c.ask("test draft")
		wantCalls(t, s, `ask_user{"draft":"Dear Ms. Wong,\n\nThe new door is green. We will fit it on Friday at nine.\n\nKind regards\nYour workshop","question":"Shall I send this e-mail?"}`)
		wantText(t, c.results(s, "Dear Ms. Wong,\n\nThe door is ready."), "I would send this", "Ms. Wong,\n\nThe door is ready.")
		s = c.ask("测试草稿")
		wantText(t, c.results(s, "The person does not want to answer this question. Do not try it again unless asked to."), "不会发送")
		s = c.ask("测试提问")
		wantCalls(t, s, `ask_user{"options":["红色","绿色","蓝色"],"question":"新门要什么颜色？"}`)
		wantText(t, c.results(s, "绿色"), "您的选择", "绿色")
	})
}

func TestFilesGoStepByStep(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("test files")
		for _, want := range []string{"write_file", "read_file", "list_files"} {
			if len(s.Calls) != 1 || s.Calls[0].Function.Name != want {
				t.Fatalf("calls %v, want %s", made(s), want)
			}
			s = c.results(s, "result of "+want)
		}
		wantText(t, s, "result of read_file", "result of list_files")
	})
}

func TestManyFilesAreReadOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("read these 12 files")
		seen := map[string]bool{}
		for _, call := range made(s) {
			seen[call] = true
		}
		if len(seen) != 12 || !seen[`read_file{"path":"note-12.txt"}`] {
			t.Errorf("calls %v", made(s))
		}
		s = c.results(s, strings.Split(strings.Repeat("content,", 11)+"content", ",")...)
		wantText(t, s, "12 files", "content")
		wantCalls(t, c.ask("read these 2 files: a/b.go and READ-ME.md"), `read_file{"path":"a/b.go"}`, `read_file{"path":"READ-ME.md"}`)
	})
}

func TestParallelMakesThreeCallsInOneAnswer(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("test parallel")
		if len(s.Calls) != 3 {
			t.Fatalf("calls %v", made(s))
		}
		wantText(t, c.results(s, guangzhou, "no", `{"expression":"6*7","result":42}`), "26 °C", "Shanghai", "6*7 = 42")
	})
}

func TestTextsAndThoughts(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		wantText(t, c.ask("test markdown"), "```go", "| --- |", "- ", "# ")
		wantText(t, c.ask("测试长文"), "```python", "| --- |", "- ", "# ")
		s := c.ask("test thinking")
		wantText(t, s, "42")
		if s.Reasoning == "" || strings.Contains(s.Content, s.Reasoning) {
			t.Errorf("reasoning %q", s.Reasoning)
		}
		s = c.ask("test chanting")
		if n := strings.Count(s.Content, "once more"); n != chants {
			t.Errorf("%d repetitions, want %d", n, chants)
		}
		wantCalls(t, c.ask("test terminate"), `terminate{"message":"The demo ends here.","status":"success"}`)
	})
}

func TestWithoutToolsEveryRuleAnswersInText(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools = nil
		for _, request := range []string{
			"weather in Beijing", "what is 1+1?", "test dead loop", "test ping-pong", "test budget", "test approval",
			"test parallel", "test files", "read these 12 files", "test terminate", "测试死循环",
		} {
			if s := c.ask(request); s.Content == "" || len(s.Calls) > 0 || s.Finish != "stop" {
				t.Errorf("%s: %+v", request, s)
			}
		}
	})
}
