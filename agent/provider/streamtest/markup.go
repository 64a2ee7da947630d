package streamtest

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
func fromText(list ...agent.CallRequest) Want { return asked(list...) }

// markupFixtures: calls as text that are calls.
var markupFixtures = []Fixture{
	{Name: "tagged", Quirk: "markup-tool-call", Tools: true, Body: written(tagged), Want: fromText(weather("", Rome))},
	{Name: "tagged, in one chunk", Quirk: "markup-tool-call", Tools: true, Body: Answered(Text(tagged)), Want: fromText(weather("", Rome))},
	{Name: "tagged, over lines", Quirk: "markup-tool-call", Tools: true,
		Body: written("<tool_call>\n" + bare + "\n</tool_call>\n"), Want: fromText(weather("", Rome))},
	{Name: "tagged, two in a row", Quirk: "markup-two-in-a-row", Tools: true,
		Body: written(tagged + "\n" + `<tool_call>{"name":"get_time","arguments":{}}</tool_call>`), Want: fromText(weather("", Rome), theTime(""))},
	{Name: "tagged, two without a line end between", Quirk: "markup-two-in-a-row", Tools: true,
		Body: written(tagged + `<tool_call>{"name":"get_time","arguments":{}}</tool_call>`), Want: fromText(weather("", Rome), theTime(""))},
	{Name: "tagged, on a line behind a sentence", Quirk: "markup-behind-a-sentence", Tools: true,
		Body: written("I will look.\n" + tagged), Want: Want{Text: "I will look.\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{Name: "tagged, behind a paragraph and a code fence", Quirk: "markup-behind-a-sentence", Tools: true,
		Body: written("So:\n```\nx\n```\n\n" + tagged), Want: Want{Text: "So:\n```\nx\n```\n\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{Name: "tagged, white space first", Quirk: "markup-tool-call", Tools: true,
		Body: written("\n\n" + tagged), Want: Want{Text: "\n\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{Name: "tagged, no arguments", Quirk: "markup-tool-call", Tools: true,
		Body: written(`<tool_call>{"name":"get_time"}</tool_call>`), Want: fromText(theTime(""))},
	{Name: "tagged, arguments as a text", Quirk: "markup-tool-call", Tools: true,
		Body: written(`<tool_call>{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}</tool_call>`), Want: fromText(weather("", Rome))},
	{Name: "functions", Quirk: "markup-qwen-coder", Tools: true, Body: written(functions), Want: fromText(weather("", Rome))},
	{Name: "functions, a number among the parameters", Quirk: "markup-qwen-coder", Tools: true,
		Body: written("<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"),
		Want: fromText(weather("", `{"city":"Rome","days":3}`))},
	{Name: "functions, a text that looks like a number", Quirk: "markup-qwen-coder", Tools: true,
		Body: written("<tool_call>\n<function=get_weather>\n<parameter=city>\n1770\n</parameter>\n</function>\n</tool_call>"),
		Want: fromText(weather("", `{"city":"1770"}`))},
	{Name: "functions, none of the parameters", Quirk: "markup-qwen-coder", Tools: true,
		Body: written("<tool_call>\n<function=get_time>\n</function>\n</tool_call>"), Want: fromText(theTime(""))},
	{Name: "functions, two in a row", Quirk: "markup-two-in-a-row", Tools: true,
		Body: written(functions + "\n<tool_call>\n<function=get_time>\n</function>\n</tool_call>"), Want: fromText(weather("", Rome), theTime(""))},
	{Name: "DSML", Quirk: "markup-dsml", Tools: true, Body: written(dsml), Want: fromText(weather("", Rome))},
	{Name: "DSML, a number and a second call", Quirk: "markup-dsml", Tools: true,
		Body: written("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">Rome</｜DSML｜parameter>\n<｜DSML｜parameter name=\"days\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"get_time\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"),
		Want: fromText(weather("", `{"city":"Rome","days":2}`), theTime(""))},
	{Name: "DSML, behind a sentence", Quirk: "markup-dsml", Tools: true,
		Body: written("I will look.\n\n" + dsml), Want: Want{Text: "I will look.\n\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{Name: "marks", Quirk: "markup-deepseek-marks", Tools: true, Body: written(marks), Want: fromText(weather("", Rome))},
	{Name: "marks, two calls", Quirk: "markup-deepseek-marks", Tools: true,
		Body: written("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\":\"Rome\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
		Want: fromText(weather("", Rome), theTime(""))},
	{Name: "a list", Quirk: "markup-mistral-list", Tools: true, Body: written(inList), Want: fromText(weather("", Rome))},
	{Name: "a list of two", Quirk: "markup-mistral-list", Tools: true,
		Body: written(`[TOOL_CALLS] [{"name":"get_weather","arguments":{"city":"Rome"}}, {"name":"get_time","arguments":{}}]`), Want: fromText(weather("", Rome), theTime(""))},
	{Name: "a name with arguments", Quirk: "markup-mistral-args", Tools: true, Body: written(bracketed), Want: fromText(weather("", Rome))},
	{Name: "two names with arguments", Quirk: "markup-mistral-args", Tools: true,
		Body: written(bracketed + "[TOOL_CALLS]get_time[ARGS]{}"), Want: fromText(weather("", Rome), theTime(""))},
	{Name: "a mark in an argument", Quirk: "markup-mistral-args", Tools: true,
		Body: written(`[TOOL_CALLS]get_weather[ARGS]{"city":"[TOOL_CALLS] Rome"}`), Want: fromText(weather("", `{"city":"[TOOL_CALLS] Rome"}`))},
	{Name: "a bare object", Quirk: "markup-bare-object", Tools: true, Body: written(bare), Want: fromText(weather("", Rome))},
	{Name: "a bare object with parameters", Quirk: "markup-bare-object", Tools: true,
		Body: written(`{"name":"get_weather","parameters":{"city":"Rome"}}`), Want: fromText(weather("", Rome))},
	{Name: "a bare object over lines", Quirk: "markup-bare-object", Tools: true,
		Body: written("{\n  \"name\": \"get_weather\",\n  \"arguments\": {\n    \"city\": \"Rome\"\n  }\n}\n"), Want: fromText(weather("", "{\n    \"city\": \"Rome\"\n  }"))},
	{Name: "a bare object over lines, four spaces deep", Quirk: "markup-bare-object", Tools: true,
		Body: written("{\n    \"name\": \"get_time\",\n    \"arguments\": {}\n}"), Want: fromText(theTime(""))},
	{Name: "tagged, an id of an earlier turn is not taken", Quirk: "markup-ids", Tools: true,
		History: []agent.Message{historytest.Says("And in Oslo?"), historytest.Asks("call_1", "call_2"), historytest.Result("call_1", "snow"), historytest.Result("call_2", "wind"), historytest.Answers("Snow.")},
		Body:    written(tagged), Want: fromText(weather("", Rome))},
}
