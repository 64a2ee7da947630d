package streamtest

import "slices"

// thoughtThen is an answer with reasoning before it.
func thoughtThen(reasoning, text string) Want {
	return Want{Reasoning: reasoning, Text: text, Finish: "stop"}
}

// reasoningFixtures: the fields in which reasoning comes.
var reasoningFixtures = []Fixture{
	{Name: "reasoning_content", Quirk: "reasoning-content",
		Body: Answered(Delta(`"role":"assistant","content":null,"reasoning_content":"It is "`), Delta(`"content":null,"reasoning_content":"June."`), Delta(`"content":"Sunny.","reasoning_content":null`)),
		Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "reasoning", Quirk: "reasoning-for-reasoning-content",
		Body: Answered(Delta(`"content":"","reasoning":"It is "`), Delta(`"content":"","reasoning":"June."`), Delta(`"content":"Sunny.","reasoning":null`)),
		Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "both with the same text", Quirk: "reasoning-both-fields",
		Body: Answered(Delta(`"reasoning_content":"It is June.","reasoning":"It is June."`), Text("Sunny.")), Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "both with different texts, the first is preferred", Quirk: "reasoning-both-fields",
		Body: Answered(Delta(`"reasoning":"June?","reasoning_content":"It is June."`), Text("Sunny.")), Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "the first empty", Quirk: "reasoning-both-fields",
		Body: Answered(Delta(`"reasoning_content":"","reasoning":"It is June."`), Text("Sunny.")), Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "texts in details", Quirk: "reasoning-details",
		Body: Answered(Delta(`"content":"","reasoning_details":[{"type":"reasoning.text","text":"It is ","format":"unknown","index":0}]`),
			Delta(`"content":"","reasoning_details":[{"type":"reasoning.text","text":"June.","index":0}]`), Text("Sunny.")),
		Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "summaries in details", Quirk: "reasoning-details",
		Body: Answered(Delta(`"reasoning_details":[{"type":"reasoning.summary","summary":"The month, "},{"type":"reasoning.summary","summary":"then the place."}]`), Text("Sunny.")),
		Want: thoughtThen("The month, then the place.", "Sunny.")},
	{Name: "details that are encrypted", Quirk: "reasoning-details",
		Body: Answered(Delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"AAECAw==","id":"r1"}]`), Text("Sunny.")), Want: said("Sunny.")},
	{Name: "details beside the field", Quirk: "reasoning-details",
		Body: Answered(Delta(`"content":"","reasoning":"It is June.","reasoning_details":[{"type":"reasoning.text","text":"It is June."}]`), Text("Sunny.")),
		Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "thinking parts", Quirk: "reasoning-in-parts",
		Body: Answered(Delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"It is "}]}]`), Delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"June."}],"closed":true}]`), Text("Sunny.")),
		Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "thinking and text parts in one list", Quirk: "reasoning-in-parts",
		Body: Answered(Delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"It is June."}]},{"type":"text","text":"Sunny."}]`)),
		Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "thinking parts whose thinking is a text", Quirk: "reasoning-in-parts",
		Body: Answered(Delta(`"content":[{"type":"thinking","thinking":"It is June."}]`), Text("Sunny.")), Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "text parts", Quirk: "content-array",
		Body: Answered(Delta(`"content":[{"type":"text","text":"Sun"}]`), Delta(`"content":[{"type":"text","text":"ny"},{"type":"text","text":"."}]`), Delta(`"content":[]`)), Want: said("Sunny.")},
	{Name: "reasoning before a call", Quirk: "reasoning-content", Tools: true,
		Body: Called(Delta(`"reasoning_content":"I must look."`), Call(0, "w1", "get_weather", Rome)),
		Want: Want{Reasoning: "I must look.", Calls: Calls(weather("w1", Rome)), Finish: "tool_calls"}},
	{Name: "a call in the reasoning field is none", Quirk: "reasoning-content", Tools: true,
		Body: Answered(Delta(`"reasoning_content":"<tool_call>\n{\"name\":\"get_time\",\"arguments\":{}}\n</tool_call>"`), Text("Sunny.")),
		Want: thoughtThen("<tool_call>\n{\"name\":\"get_time\",\"arguments\":{}}\n</tool_call>", "Sunny.")},
	{Name: "reasoning alone", Quirk: "reasoning-content",
		Body: Answered(Delta(`"reasoning_content":"It is June."`)), Want: thoughtThen("It is June.", "")},
}

// thinkFixtures: reasoning between tags in the content.
var thinkFixtures = []Fixture{
	{Name: "at the very start", Quirk: "think-tags", Body: Answered(Text("<think>It is June.</think>Sunny.")), Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "tags as chunks of their own", Quirk: "think-tags",
		Body: Answered(Text("<think>"), Text("It is "), Text("June."), Text("</think>"), Text("\n\n"), Text("Sunny.")), Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "split inside the tags", Quirk: "think-tags-split",
		Body: Answered(Text("<th"), Text("ink"), Text(">It is June.<"), Text("/thi"), Text("nk>Sun"), Text("ny.")), Want: thoughtThen("It is June.", "Sunny.")},
	{Name: "a rune a chunk", Quirk: "think-tags-split", Body: Answered(runeByRune("<think>Rôme, 六月.</think>Sunny.")...), Want: thoughtThen("Rôme, 六月.", "Sunny.")},
	{Name: "something like a tag inside", Quirk: "think-tags-split",
		Body: Answered(Text("<think>a </thin"), Text("g> b</think>Sunny.")), Want: thoughtThen("a </thing> b", "Sunny.")},
	{Name: "only a closing tag", Quirk: "think-closing-tag-only",
		Body: Answered(Text("It is "), Text("June.\n"), Text("</think>"), Text("\n\nSun"), Text("ny.")),
		Want: Want{Reasoning: "It is June.", Text: "Sunny.", Finish: "stop", Reset: true}},
	{Name: "only a closing tag, split", Quirk: "think-closing-tag-only",
		Body: written("It is June.\nIn Rome.\n</think>\n\nSunny.\nWarm."),
		Want: Want{Reasoning: "It is June.\nIn Rome.", Text: "Sunny.\nWarm.", Finish: "stop", Reset: true}},
	{Name: "only a closing tag before a call", Quirk: "think-closing-tag-only", Tools: true,
		Body: Called(Text("I must look.\n"), Text("</think>\n\n"), Call(0, "w1", "get_weather", Rome)),
		Want: Want{Reasoning: "I must look.", Calls: Calls(weather("w1", Rome)), Finish: "tool_calls", Reset: true}},
	{Name: "only a closing tag before a call as text", Quirk: "think-closing-tag-only", Tools: true,
		Body: written("I must look.\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\":\"Rome\"}}\n</tool_call>"),
		Want: Want{Reasoning: "I must look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls", Reset: true}},
	{Name: "only a closing tag behind a draft of a call", Quirk: "think-closing-tag-only", Tools: true,
		Body: written("I could write\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call>\n</think>\nSunny."),
		Want: Want{Reasoning: "I could write\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call>", Text: "Sunny.", Finish: "stop", Reset: true}},
	{Name: "only a closing tag at the end of the answer", Quirk: "think-closing-tag-only",
		Body: written("It is June.\n</think>"), Want: Want{Reasoning: "It is June.", Finish: "stop", Reset: true}},
	{Name: "only a closing tag right before a call", Quirk: "think-closing-tag-only", Tools: true,
		Body: Called(Text("I must look.\n</think>"), Call(0, "w1", "get_weather", Rome)),
		Want: Want{Reasoning: "I must look.", Calls: Calls(weather("w1", Rome)), Finish: "tool_calls", Reset: true}},
	{Name: "a tag quoted later in the answer", Quirk: "think-quoted",
		Body: written("It is <think>that</think> which opens it."), Want: said("It is <think>that</think> which opens it.")},
	{Name: "a tag quoted on a later line", Quirk: "think-quoted",
		Body: written("Write it so:\n<think>your thoughts</think>\nThat is all."), Want: said("Write it so:\n<think>your thoughts</think>\nThat is all.")},
	{Name: "tags quoted behind true ones", Quirk: "think-quoted",
		Body: written("<think>June.</think>The tag\n</think>\ncloses it."), Want: thoughtThen("June.", "The tag\n</think>\ncloses it.")},
	{Name: "a tag inside a code fence", Quirk: "think-in-code-fence",
		Body: written("So:\n```\n<think>\nhm\n</think>\n```\nDone."), Want: said("So:\n```\n<think>\nhm\n</think>\n```\nDone.")},
	{Name: "a code fence that opens the answer", Quirk: "think-in-code-fence",
		Body: written("```xml\n<think>\nhm\n</think>\n```"), Want: said("```xml\n<think>\nhm\n</think>\n```")},
	{Name: "a closing tag in inline code", Quirk: "think-quoted",
		Body: written("It ends with `</think>` then."), Want: said("It ends with `</think>` then.")},
	{Name: "never closed", Quirk: "think-never-closed", Body: written("<think>It is June."), Want: thoughtThen("It is June.", "")},
	{Name: "empty", Quirk: "think-tags", Body: Answered(Text("<think></think>Sunny.")), Want: said("Sunny.")},
	{Name: "before a call", Quirk: "think-tags", Tools: true,
		Body: Called(slices.Concat(spelled("<think>I must look.</think>"), []string{Call(0, "w1", "get_weather", Rome)})...),
		Want: Want{Reasoning: "I must look.", Calls: Calls(weather("w1", Rome)), Finish: "tool_calls"}},
	{Name: "a call as text inside", Quirk: "think-tags", Tools: true,
		Body: Answered(Text("<think>So:\n<tool_call>{\"name\":\"get_time\",\"arguments\":{}}</tool_call>\n</think>Sunny.")),
		Want: thoughtThen("So:\n<tool_call>{\"name\":\"get_time\",\"arguments\":{}}</tool_call>\n", "Sunny.")},
	{Name: "a call as text behind", Quirk: "think-tags", Tools: true,
		Body: written("<think>I must look.</think>\n\n<tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Rome\"}}</tool_call>"),
		Want: Want{Reasoning: "I must look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{Name: "only the beginning of a tag", Quirk: "think-quoted", Body: Answered(Text("<thi")), Want: said("<thi")},
}

// runeByRune is text in chunks of one rune each.
func runeByRune(text string) (events []string) {
	for _, r := range text {
		events = append(events, Text(string(r)))
	}
	return events
}
