package provider

import (
	"fusebox/agent"
	"fusebox/agent/provider/history/historytest"
)

// The same call in the ways in which models write calls as text.
const (
	tagged    = `<tool_call>{"name": "get_weather", "arguments": {"city":"Rome"}}</tool_call>`
	functions = "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>"
	dsml      = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">Rome</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
	marks     = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\":\"Rome\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	inList    = `[TOOL_CALLS][{"name": "get_weather", "arguments": {"city":"Rome"}}]`
	bracketed = `[TOOL_CALLS]get_weather[ARGS]{"city":"Rome"}`
	bare      = `{"name": "get_weather", "arguments": {"city":"Rome"}}`
)

// fromText are calls that were read from text: they have made-up ids.
func fromText(list ...agent.CallRequest) want { return asked(list...) }

// markupFixtures: calls as text that are calls.
var markupFixtures = []fixture{
	{name: "tagged", quirk: "markup-tool-call", tools: true, body: written(tagged), want: fromText(weather("", rome))},
	{name: "tagged, in one chunk", quirk: "markup-tool-call", tools: true, body: answered(textChunk(tagged)), want: fromText(weather("", rome))},
	{name: "tagged, over lines", quirk: "markup-tool-call", tools: true,
		body: written("<tool_call>\n" + bare + "\n</tool_call>\n"), want: fromText(weather("", rome))},
	{name: "tagged, two in a row", quirk: "markup-two-in-a-row", tools: true,
		body: written(tagged + "\n" + `<tool_call>{"name":"get_time","arguments":{}}</tool_call>`), want: fromText(weather("", rome), theTime(""))},
	{name: "tagged, two without a line end between", quirk: "markup-two-in-a-row", tools: true,
		body: written(tagged + `<tool_call>{"name":"get_time","arguments":{}}</tool_call>`), want: fromText(weather("", rome), theTime(""))},
	{name: "tagged, on a line behind a sentence", quirk: "markup-behind-a-sentence", tools: true,
		body: written("I will look.\n" + tagged), want: want{text: "I will look.\n", calls: calls(weather("", rome)), finish: "tool_calls"}},
	{name: "tagged, behind a paragraph and a code fence", quirk: "markup-behind-a-sentence", tools: true,
		body: written("So:\n```\nx\n```\n\n" + tagged), want: want{text: "So:\n```\nx\n```\n\n", calls: calls(weather("", rome)), finish: "tool_calls"}},
	{name: "tagged, white space first", quirk: "markup-tool-call", tools: true,
		body: written("\n\n" + tagged), want: want{text: "\n\n", calls: calls(weather("", rome)), finish: "tool_calls"}},
	{name: "tagged, no arguments", quirk: "markup-tool-call", tools: true,
		body: written(`<tool_call>{"name":"get_time"}</tool_call>`), want: fromText(theTime(""))},
	{name: "tagged, arguments as a text", quirk: "markup-tool-call", tools: true,
		body: written(`<tool_call>{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}</tool_call>`), want: fromText(weather("", rome))},
	{name: "functions", quirk: "markup-qwen-coder", tools: true, body: written(functions), want: fromText(weather("", rome))},
	{name: "functions, a number among the parameters", quirk: "markup-qwen-coder", tools: true,
		body: written("<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"),
		want: fromText(weather("", `{"city":"Rome","days":3}`))},
	{name: "functions, a text that looks like a number", quirk: "markup-qwen-coder", tools: true,
		body: written("<tool_call>\n<function=get_weather>\n<parameter=city>\n1770\n</parameter>\n</function>\n</tool_call>"),
		want: fromText(weather("", `{"city":"1770"}`))},
	{name: "functions, none of the parameters", quirk: "markup-qwen-coder", tools: true,
		body: written("<tool_call>\n<function=get_time>\n</function>\n</tool_call>"), want: fromText(theTime(""))},
	{name: "functions, two in a row", quirk: "markup-two-in-a-row", tools: true,
		body: written(functions + "\n<tool_call>\n<function=get_time>\n</function>\n</tool_call>"), want: fromText(weather("", rome), theTime(""))},
	{name: "DSML", quirk: "markup-dsml", tools: true, body: written(dsml), want: fromText(weather("", rome))},
	{name: "DSML, a number and a second call", quirk: "markup-dsml", tools: true,
		body: written("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">Rome</｜DSML｜parameter>\n<｜DSML｜parameter name=\"days\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"get_time\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"),
		want: fromText(weather("", `{"city":"Rome","days":2}`), theTime(""))},
	{name: "DSML, behind a sentence", quirk: "markup-dsml", tools: true,
		body: written("I will look.\n\n" + dsml), want: want{text: "I will look.\n\n", calls: calls(weather("", rome)), finish: "tool_calls"}},
	{name: "marks", quirk: "markup-deepseek-marks", tools: true, body: written(marks), want: fromText(weather("", rome))},
	{name: "marks, two calls", quirk: "markup-deepseek-marks", tools: true,
		body: written("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\":\"Rome\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
		want: fromText(weather("", rome), theTime(""))},
	{name: "a list", quirk: "markup-mistral-list", tools: true, body: written(inList), want: fromText(weather("", rome))},
	{name: "a list of two", quirk: "markup-mistral-list", tools: true,
		body: written(`[TOOL_CALLS] [{"name":"get_weather","arguments":{"city":"Rome"}}, {"name":"get_time","arguments":{}}]`), want: fromText(weather("", rome), theTime(""))},
	{name: "a name with arguments", quirk: "markup-mistral-args", tools: true, body: written(bracketed), want: fromText(weather("", rome))},
	{name: "two names with arguments", quirk: "markup-mistral-args", tools: true,
		body: written(bracketed + "[TOOL_CALLS]get_time[ARGS]{}"), want: fromText(weather("", rome), theTime(""))},
	{name: "a mark in an argument", quirk: "markup-mistral-args", tools: true,
		body: written(`[TOOL_CALLS]get_weather[ARGS]{"city":"[TOOL_CALLS] Rome"}`), want: fromText(weather("", `{"city":"[TOOL_CALLS] Rome"}`))},
	{name: "a bare object", quirk: "markup-bare-object", tools: true, body: written(bare), want: fromText(weather("", rome))},
	{name: "a bare object with parameters", quirk: "markup-bare-object", tools: true,
		body: written(`{"name":"get_weather","parameters":{"city":"Rome"}}`), want: fromText(weather("", rome))},
	{name: "a bare object over lines", quirk: "markup-bare-object", tools: true,
		body: written("{\n  \"name\": \"get_weather\",\n  \"arguments\": {\n    \"city\": \"Rome\"\n  }\n}\n"), want: fromText(weather("", "{\n    \"city\": \"Rome\"\n  }"))},
	{name: "a bare object over lines, four spaces deep", quirk: "markup-bare-object", tools: true,
		body: written("{\n    \"name\": \"get_time\",\n    \"arguments\": {}\n}"), want: fromText(theTime(""))},
	{name: "tagged, an id of an earlier turn is not taken", quirk: "markup-ids", tools: true,
		history: []agent.Message{historytest.Says("And in Oslo?"), historytest.Asks("call_1", "call_2"), historytest.Result("call_1", "snow"), historytest.Result("call_2", "wind"), historytest.Answers("Snow.")},
		body:    written(tagged), want: fromText(weather("", rome))},
}
