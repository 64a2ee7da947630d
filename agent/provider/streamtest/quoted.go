package streamtest

// stays is an answer whose markup is text after all; loud ones meant to be a
// call, and the person hears of it.
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
