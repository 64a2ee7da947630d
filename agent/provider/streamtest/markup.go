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

// stays is an answer whose markup is only text. In a loud one the markup was meant as a
// call, and the person is told.
func stays(text string) Want { return Want{Text: text, Finish: "stop"} }

func loud(text string) Want { return Want{Text: text, Finish: "stop", Notice: true} }

// Markup that is not a call stays text, to the last byte.

// uncalledFixtures: markup where no tools were offered, or that may be of another language.
var uncalledFixtures = []Fixture{
	{Name: "a tag of another language", Quirk: "markup-shown", Tools: true, Body: written("<invoke name=\"save\" method=\"post\"/>\n<list/>"), Want: loud("<invoke name=\"save\" method=\"post\"/>\n<list/>")},
	{Name: "a function's tag of another language", Quirk: "markup-shown", Tools: true, Body: written("<function=save href=\"x\">\n<list/>"), Want: loud("<function=save href=\"x\">\n<list/>")},
	{Name: "a tag in a list, and sentences behind it", Quirk: "markup-shown", Tools: true, Body: written("1. Write:\n   <tool_call>x\n2. More text is here. It goes on."), Want: loud("1. Write:\n   <tool_call>x\n2. More text is here. It goes on.")},
	{Name: "tagged, no tools offered", Quirk: "markup-without-tools", Body: written(tagged), Want: loud(tagged)},
	{Name: "functions, no tools offered", Quirk: "markup-without-tools", Body: written(functions), Want: loud(functions)},
	{Name: "DSML, no tools offered", Quirk: "markup-without-tools", Body: written(dsml), Want: loud(dsml)},
	{Name: "marks, no tools offered", Quirk: "markup-without-tools", Body: written(marks), Want: loud(marks)},
	{Name: "a list, no tools offered", Quirk: "markup-without-tools", Body: written(inList), Want: loud(inList)},
	{Name: "a name with arguments, no tools offered", Quirk: "markup-without-tools", Body: written(bracketed), Want: loud(bracketed)},
	{Name: "a bare object, no tools offered", Quirk: "markup-without-tools", Body: written(bare), Want: stays(bare)},
}

// quotedFixtures: markup that an answer shows, in code, quotations, or sentences.
var quotedFixtures = []Fixture{
	{Name: "tagged in a code fence", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("Write\n```xml\n" + tagged + "\n```\nthen."), Want: stays("Write\n```xml\n" + tagged + "\n```\nthen.")},
	{Name: "tagged in a code fence of four", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("````\n```\n" + tagged + "\n```\n````\n"), Want: stays("````\n```\n" + tagged + "\n```\n````\n")},
	{Name: "tagged in a code fence of tildes", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("Write\n~~~\n" + tagged + "\n~~~\n"), Want: stays("Write\n~~~\n" + tagged + "\n~~~\n")},
	{Name: "tagged in an indented code fence", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("1. Write\n   ```\n" + tagged + "\n   ```\n"), Want: stays("1. Write\n   ```\n" + tagged + "\n   ```\n")},
	{Name: "functions in a code fence that never ends", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("```\n" + functions), Want: stays("```\n" + functions)},
	{Name: "tagged in a code fence of tildes that never ends", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("~~~\n" + tagged), Want: stays("~~~\n" + tagged)},
	{Name: "tagged in an indented code fence that never ends", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("- so:\n  ```xml\n" + tagged), Want: stays("- so:\n  ```xml\n" + tagged)},
	{Name: "tagged in a code fence of four that never ends", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("````md\n```\n" + tagged), Want: stays("````md\n```\n" + tagged)},
	{Name: "tagged behind a line that looks like the end of a fence", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("```md\n```python\n" + tagged), Want: stays("```md\n```python\n" + tagged)},
	{Name: "DSML in a code fence", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("```\n" + dsml + "\n```"), Want: stays("```\n" + dsml + "\n```")},
	{Name: "marks in a code fence of four", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("````\n" + marks + "\n````"), Want: stays("````\n" + marks + "\n````")},
	{Name: "a list in a code fence", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("```\n" + inList + "\n```"), Want: stays("```\n" + inList + "\n```")},
	{Name: "a bare object in a code fence", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("```json\n" + bare + "\n```"), Want: stays("```json\n" + bare + "\n```")},
	{Name: "tagged in inline code", Quirk: "markup-in-inline-code", Tools: true,
		Body: written("It is `" + tagged + "` then."), Want: stays("It is `" + tagged + "` then.")},
	{Name: "a line of inline code", Quirk: "markup-in-inline-code", Tools: true,
		Body: written("`" + tagged + "`"), Want: stays("`" + tagged + "`")},
	{Name: "tagged in a blockquote", Quirk: "markup-in-blockquote", Tools: true,
		Body: written("It said:\n> " + tagged + "\n"), Want: stays("It said:\n> " + tagged + "\n")},
	{Name: "marks in a blockquote", Quirk: "markup-in-blockquote", Tools: true,
		Body: written("> " + inList), Want: stays("> " + inList)},
	{Name: "tagged in a block of four spaces", Quirk: "markup-in-code-fence", Tools: true,
		Body: written("Write\n\n    " + tagged + "\n"), Want: stays("Write\n\n    " + tagged + "\n")},
	{Name: "tagged in the middle of a line", Quirk: "markup-in-a-line", Tools: true,
		Body: written("It would write " + tagged), Want: stays("It would write " + tagged)},
	{Name: "a bare object behind a sentence", Quirk: "markup-in-a-line", Tools: true,
		Body: written("I would send\n" + bare), Want: stays("I would send\n" + bare)},
	{Name: "a bare object before a sentence", Quirk: "markup-in-a-line", Tools: true,
		Body: written(bare + "\nis what I would send."), Want: stays(bare + "\nis what I would send.")},
}

// mistake is an answer that is nothing but a call that cannot be made; the model is told why.
func mistake(why string) Want { return Want{Finish: "stop", Mistake: why} }

// refusedFixtures: markup that is not a call of an offered tool, or not whole. It is not
// shown, unless there is more than that.
var refusedFixtures = []Fixture{
	{Name: "tagged, an unknown tool", Quirk: "markup-unknown-tool", Tools: true,
		Body: written(`<tool_call>{"name":"rm","arguments":{}}</tool_call>`), Want: mistake("no tool of that name")},
	{Name: "functions, an unknown tool", Quirk: "markup-unknown-tool", Tools: true,
		Body: written("<function=rm>\n</function>"), Want: mistake("no tool of that name")},
	{Name: "one known tool and one unknown", Quirk: "markup-unknown-tool", Tools: true,
		Body: written(tagged + `<tool_call>{"name":"rm","arguments":{}}</tool_call>`), Want: mistake("no tool of that name")},
	{Name: "a bare object, an unknown tool", Quirk: "markup-unknown-tool", Tools: true,
		Body: written(`{"name":"Ada","arguments":{"born":1815}}`), Want: stays(`{"name":"Ada","arguments":{"born":1815}}`)},
	{Name: "a bare object without arguments", Quirk: "markup-bare-object", Tools: true,
		Body: written(`{"name":"get_time","zone":"UTC"}`), Want: stays(`{"name":"get_time","zone":"UTC"}`)},
	{Name: "a bare object with more beside the arguments", Quirk: "markup-bare-object", Tools: true,
		Body: written(`{"name": "Rome", "population": 2800000}`), Want: stays(`{"name": "Rome", "population": 2800000}`)},

	// The tool itself says what is wrong with these.
	{Name: "tagged, a missing argument", Quirk: "markup-breaks-the-schema", Tools: true,
		Body: written(`<tool_call>{"name":"get_weather","arguments":{}}</tool_call>`), Want: fromText(weather("", "{}"))},
	{Name: "functions, one argument too many", Quirk: "markup-breaks-the-schema", Tools: true,
		Body: written("<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=mood>\ngood\n</parameter>\n</function>"),
		Want: fromText(weather("", `{"city":"Rome","mood":"good"}`))},
	{Name: "DSML, an argument of another type", Quirk: "markup-breaks-the-schema", Tools: true,
		Body: written("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"days\" string=\"true\">many</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"),
		Want: fromText(weather("", `{"days":"many"}`))},
	{Name: "a bare object, an argument of another type", Quirk: "markup-breaks-the-schema", Tools: true,
		Body: written(`{"name":"get_weather","arguments":{"city":7}}`), Want: stays(`{"name":"get_weather","arguments":{"city":7}}`)},

	{Name: "tagged, never closed", Quirk: "markup-not-whole", Tools: true,
		Body: written(`<tool_call>{"name":"get_weather","arguments":{"city":"Rome"`), Want: mistake("not whole")},
	{Name: "tagged, cut by the length", Quirk: "markup-not-whole", Tools: true,
		Body: SSE(append(spelled(`<tool_call>{"name":"get_weather","argu`), Finish("length"), Done)...),
		Want: Want{Finish: "length", Mistake: "cut off"}},
	{Name: "tagged, with text behind it", Quirk: "markup-not-alone", Tools: true,
		Body: written(tagged + "\nThat is how it is done."), Want: loud(tagged + "\nThat is how it is done.")},
	{Name: "tagged beside a true call", Quirk: "markup-beside-a-call", Tools: true,
		Body: Called(Text(tagged+"\n"), Call(0, "t1", "get_time", "{}")),
		Want: Want{Text: tagged + "\n", Calls: Calls(theTime("t1")), Finish: "tool_calls"}},
	{Name: "only the beginning of a mark", Quirk: "markup-not-whole", Tools: true, Body: written("[TOOL"), Want: stays("[TOOL")},
	{Name: "a word that begins like a mark", Quirk: "markup-not-whole", Tools: true,
		Body: written("<tool_box> is a tag, [TOOLS] a word."), Want: stays("<tool_box> is a tag, [TOOLS] a word.")},
}
