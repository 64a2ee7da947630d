package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/history/historytest"
	"fusebox/agent/provider/streamtest"
)

// asDocumented counts a chat as its tokenizer's makers say that they do: three
// tokens a message and one for its role, three for the answer, and the tools in
// a notation of their own.
func asDocumented(p *Provider, notation string, texts ...string) int64 {
	n := 3 + p.CountText(notation)
	for _, text := range texts {
		n += 3 + 1 + p.CountText(text)
	}
	return n
}

// TestEstimateIsClose: what is estimated is of the order of what such an
// endpoint would tell.
func TestEstimateIsClose(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1")
	essay := strings.Repeat("Budgets are promises: what was planned is what may be spent, and not one cent more. ", 40)
	const brief, ask, fine = "You are brief.", "What is the weather in Rome, please?", "Understood."
	const tools = `# Tools
## functions
namespace functions {
// The weather of a city.
type get_weather = (_: {
city: string,
days?: number,
}) => any;
// What time it is.
type get_time = () => any;
} // namespace functions`
	schema := string(streamtest.Tools[0].Parameters)
	history := []agent.Message{historytest.Says(essay), historytest.Answers(fine), historytest.Says(ask)}
	for name, tc := range map[string]struct {
		req           agent.Request
		body          string
		input, output int64
	}{
		"a long text": {agent.Request{System: brief, Messages: history}, streamtest.Answered(streamtest.Text(essay)), asDocumented(p, "", brief, essay, fine, ask), p.CountText(essay)},
		"tools": {agent.Request{Messages: history[2:], Tools: streamtest.Tools}, streamtest.Called(streamtest.Call(0, "w1", "get_weather", streamtest.Rome)),
			asDocumented(p, tools, ask), p.CountText("to=functions.get_weather json" + streamtest.Rome)},
		"reasoning": {agent.Request{Messages: history}, streamtest.Answered(streamtest.Delta(`"reasoning_content":"`+essay+`"`), streamtest.Text(fine)), asDocumented(p, "", essay, fine, ask), p.CountText(essay + fine)},
		"a schema":  {agent.Request{Messages: history[2:], Schema: streamtest.Tools[0].Parameters}, streamtest.Answered(streamtest.Text(fine)), asDocumented(p, "# Response Formats\n## answer\n"+schema, ask), p.CountText(fine)},
	} {
		q, _ := newProvider(t, serve(t, raw(tc.body)).URL, func(c *Config) { c.Retry.Max = 0 })
		tc.req.Model = "m"
		got, err := q.Complete(t.Context(), tc.req, (&watcher{}).sink)
		if err != nil || !got.Usage.Estimated {
			t.Fatalf("%s: %v, usage %+v", name, err, got.Usage)
		}
		for what, pair := range map[string][2]int64{"input": {got.Usage.InputTokens, tc.input}, "output": {got.Usage.OutputTokens, tc.output}} {
			if ratio := float64(pair[0]) / float64(pair[1]); ratio < 0.8 || ratio > 2 {
				t.Errorf("%s: %s estimated as %d, told as %d", name, what, pair[0], pair[1])
			}
		}
	}
}

// TestEstimateCountsWhatWasMade: also reasoning, and calls that were dropped
// because they broke off: the provider made them.
func TestEstimateCountsWhatWasMade(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("and so on and on ", 50)
	cut := func(fields string) string {
		return streamtest.SSE(streamtest.Delta(`"content":"Well."`), streamtest.Delta(fields))
	}
	for name, body := range map[string]string{
		"text":                cut(`"content":"` + text + `"`),
		"reasoning":           cut(`"reasoning_content":"` + text + `"`),
		"reasoning in a text": streamtest.SSE(streamtest.Delta(`"content":"<think>Well. ` + text + `"`)),
		"a call":              cut(`"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"x\":\"` + text + `"}}]`),
		"a call as a text":    streamtest.SSE(streamtest.Delta(`"content":"Well. "`), streamtest.Delta(`"content":"\n<tool_call>{\"name\":\"look\",\"arguments\":{\"x\":\"`+text+`"`)),
	} {
		p, _ := newProvider(t, serve(t, raw(body)).URL, func(c *Config) { c.Retry.Max = 0 })
		got, err := p.Complete(t.Context(), asksOnce, (&watcher{}).sink)
		made := p.CountText("Well." + text)
		if err == nil || !got.Usage.Estimated || got.Usage.OutputTokens < made || got.Usage.OutputTokens > made+30 {
			t.Errorf("%s: %v, usage %+v, about %d tokens were made", name, err, got.Usage, made)
		}
		if thought := strings.Contains(name, "reasoning"); thought != (got.Usage.ReasoningTokens > made/2) {
			t.Errorf("%s: usage %+v", name, got.Usage)
		}
	}
}

// TestCountPromptCountsWhatIsSent: a schema; and reasoning where the model gets
// it back, at the endpoint that a router would ask.
func TestCountPromptCountsWhatIsSent(t *testing.T) {
	t.Parallel()
	thought := historytest.Answers("")
	thought.ToolCalls = []agent.CallRequest{{ID: "a", Name: "look", Arguments: "{}"}}
	thought.Reasoning = strings.Repeat("hm, let me see ", 100)
	thought.Data = json.RawMessage(`{"from":"other:deepseek"}`)
	req := hello()
	req.Messages = append(req.Messages, thought, historytest.Result("a", "found"))

	plain, _ := newProvider(t, "http://localhost:1")
	other, _ := newProvider(t, "http://localhost:2", func(c *Config) { c.Name, c.Family = "other", DeepSeek })
	r, err := NewRouter(Endpoints{Offered: []*Provider{plain, other}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	without := r.CountPrompt(req)
	req.Model = "other/m"
	if with := r.CountPrompt(req); with != without+plain.CountText(thought.Reasoning) {
		t.Errorf("%d tokens with the reasoning, %d without it", with, without)
	}
	bound := req
	bound.Schema = streamtest.Tools[0].Parameters
	if r.CountPrompt(bound) <= r.CountPrompt(req)+10 {
		t.Error("the schema is not counted")
	}
}
