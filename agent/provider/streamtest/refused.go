package streamtest

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
