package provider

import "slices"

// thoughtThen is an answer with reasoning before it.
func thoughtThen(reasoning, text string) want {
	return want{reasoning: reasoning, text: text, finish: "stop"}
}

// reasoningFixtures: the fields in which reasoning comes.
var reasoningFixtures = []fixture{
	{name: "reasoning_content", quirk: "reasoning-content",
		body: answered(delta(`"role":"assistant","content":null,"reasoning_content":"It is "`), delta(`"content":null,"reasoning_content":"June."`), delta(`"content":"Sunny.","reasoning_content":null`)),
		want: thoughtThen("It is June.", "Sunny.")},
	{name: "reasoning", quirk: "reasoning-for-reasoning-content",
		body: answered(delta(`"content":"","reasoning":"It is "`), delta(`"content":"","reasoning":"June."`), delta(`"content":"Sunny.","reasoning":null`)),
		want: thoughtThen("It is June.", "Sunny.")},
	{name: "both with the same text", quirk: "reasoning-both-fields",
		body: answered(delta(`"reasoning_content":"It is June.","reasoning":"It is June."`), textChunk("Sunny.")), want: thoughtThen("It is June.", "Sunny.")},
	{name: "both with different texts, the first is preferred", quirk: "reasoning-both-fields",
		body: answered(delta(`"reasoning":"June?","reasoning_content":"It is June."`), textChunk("Sunny.")), want: thoughtThen("It is June.", "Sunny.")},
	{name: "the first empty", quirk: "reasoning-both-fields",
		body: answered(delta(`"reasoning_content":"","reasoning":"It is June."`), textChunk("Sunny.")), want: thoughtThen("It is June.", "Sunny.")},
	{name: "texts in details", quirk: "reasoning-details",
		body: answered(delta(`"content":"","reasoning_details":[{"type":"reasoning.text","text":"It is ","format":"unknown","index":0}]`),
			delta(`"content":"","reasoning_details":[{"type":"reasoning.text","text":"June.","index":0}]`), textChunk("Sunny.")),
		want: thoughtThen("It is June.", "Sunny.")},
	{name: "summaries in details", quirk: "reasoning-details",
		body: answered(delta(`"reasoning_details":[{"type":"reasoning.summary","summary":"The month, "},{"type":"reasoning.summary","summary":"then the place."}]`), textChunk("Sunny.")),
		want: thoughtThen("The month, then the place.", "Sunny.")},
	{name: "details that are encrypted", quirk: "reasoning-details",
		body: answered(delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"AAECAw==","id":"r1"}]`), textChunk("Sunny.")), want: said("Sunny.")},
	{name: "details beside the field", quirk: "reasoning-details",
		body: answered(delta(`"content":"","reasoning":"It is June.","reasoning_details":[{"type":"reasoning.text","text":"It is June."}]`), textChunk("Sunny.")),
		want: thoughtThen("It is June.", "Sunny.")},
	{name: "thinking parts", quirk: "reasoning-in-parts",
		body: answered(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"It is "}]}]`), delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"June."}],"closed":true}]`), textChunk("Sunny.")),
		want: thoughtThen("It is June.", "Sunny.")},
	{name: "thinking and text parts in one list", quirk: "reasoning-in-parts",
		body: answered(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"It is June."}]},{"type":"text","text":"Sunny."}]`)),
		want: thoughtThen("It is June.", "Sunny.")},
	{name: "thinking parts whose thinking is a text", quirk: "reasoning-in-parts",
		body: answered(delta(`"content":[{"type":"thinking","thinking":"It is June."}]`), textChunk("Sunny.")), want: thoughtThen("It is June.", "Sunny.")},
	{name: "text parts", quirk: "content-array",
		body: answered(delta(`"content":[{"type":"text","text":"Sun"}]`), delta(`"content":[{"type":"text","text":"ny"},{"type":"text","text":"."}]`), delta(`"content":[]`)), want: said("Sunny.")},
	{name: "reasoning before a call", quirk: "reasoning-content", tools: true,
		body: called(delta(`"reasoning_content":"I must look."`), callChunk(0, "w1", "get_weather", rome)),
		want: want{reasoning: "I must look.", calls: calls(weather("w1", rome)), finish: "tool_calls"}},
	{name: "a call in the reasoning field is none", quirk: "reasoning-content", tools: true,
		body: answered(delta(`"reasoning_content":"<tool_call>\n{\"name\":\"get_time\",\"arguments\":{}}\n</tool_call>"`), textChunk("Sunny.")),
		want: thoughtThen("<tool_call>\n{\"name\":\"get_time\",\"arguments\":{}}\n</tool_call>", "Sunny.")},
	{name: "reasoning alone", quirk: "reasoning-content",
		body: answered(delta(`"reasoning_content":"It is June."`)), want: thoughtThen("It is June.", "")},
}

// thinkFixtures: reasoning between tags in the content.
var thinkFixtures = []fixture{
	{name: "at the very start", quirk: "think-tags", body: answered(textChunk("<think>It is June.</think>Sunny.")), want: thoughtThen("It is June.", "Sunny.")},
	{name: "tags as chunks of their own", quirk: "think-tags",
		body: answered(textChunk("<think>"), textChunk("It is "), textChunk("June."), textChunk("</think>"), textChunk("\n\n"), textChunk("Sunny.")), want: thoughtThen("It is June.", "Sunny.")},
	{name: "split inside the tags", quirk: "think-tags-split",
		body: answered(textChunk("<th"), textChunk("ink"), textChunk(">It is June.<"), textChunk("/thi"), textChunk("nk>Sun"), textChunk("ny.")), want: thoughtThen("It is June.", "Sunny.")},
	{name: "a rune a chunk", quirk: "think-tags-split", body: answered(runeByRune("<think>Rôme, 六月.</think>Sunny.")...), want: thoughtThen("Rôme, 六月.", "Sunny.")},
	{name: "something like a tag inside", quirk: "think-tags-split",
		body: answered(textChunk("<think>a </thin"), textChunk("g> b</think>Sunny.")), want: thoughtThen("a </thing> b", "Sunny.")},
	{name: "only a closing tag", quirk: "think-closing-tag-only",
		body: answered(textChunk("It is "), textChunk("June.\n"), textChunk("</think>"), textChunk("\n\nSun"), textChunk("ny.")),
		want: want{reasoning: "It is June.", text: "Sunny.", finish: "stop", reset: true}},
	{name: "only a closing tag, split", quirk: "think-closing-tag-only",
		body: written("It is June.\nIn Rome.\n</think>\n\nSunny.\nWarm."),
		want: want{reasoning: "It is June.\nIn Rome.", text: "Sunny.\nWarm.", finish: "stop", reset: true}},
	{name: "only a closing tag before a call", quirk: "think-closing-tag-only", tools: true,
		body: called(textChunk("I must look.\n"), textChunk("</think>\n\n"), callChunk(0, "w1", "get_weather", rome)),
		want: want{reasoning: "I must look.", calls: calls(weather("w1", rome)), finish: "tool_calls", reset: true}},
	{name: "only a closing tag before a call as text", quirk: "think-closing-tag-only", tools: true,
		body: written("I must look.\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\":\"Rome\"}}\n</tool_call>"),
		want: want{reasoning: "I must look.", calls: calls(weather("", rome)), finish: "tool_calls", reset: true}},
	{name: "only a closing tag behind a draft of a call", quirk: "think-closing-tag-only", tools: true,
		body: written("I could write\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call>\n</think>\nSunny."),
		want: want{reasoning: "I could write\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call>", text: "Sunny.", finish: "stop", reset: true}},
	{name: "only a closing tag at the end of the answer", quirk: "think-closing-tag-only",
		body: written("It is June.\n</think>"), want: want{reasoning: "It is June.", finish: "stop", reset: true}},
	{name: "only a closing tag right before a call", quirk: "think-closing-tag-only", tools: true,
		body: called(textChunk("I must look.\n</think>"), callChunk(0, "w1", "get_weather", rome)),
		want: want{reasoning: "I must look.", calls: calls(weather("w1", rome)), finish: "tool_calls", reset: true}},
	{name: "a tag quoted later in the answer", quirk: "think-quoted",
		body: written("It is <think>that</think> which opens it."), want: said("It is <think>that</think> which opens it.")},
	{name: "a tag quoted on a later line", quirk: "think-quoted",
		body: written("Write it so:\n<think>your thoughts</think>\nThat is all."), want: said("Write it so:\n<think>your thoughts</think>\nThat is all.")},
	{name: "tags quoted behind true ones", quirk: "think-quoted",
		body: written("<think>June.</think>The tag\n</think>\ncloses it."), want: thoughtThen("June.", "The tag\n</think>\ncloses it.")},
	{name: "a tag inside a code fence", quirk: "think-in-code-fence",
		body: written("So:\n```\n<think>\nhm\n</think>\n```\nDone."), want: said("So:\n```\n<think>\nhm\n</think>\n```\nDone.")},
	{name: "a code fence that opens the answer", quirk: "think-in-code-fence",
		body: written("```xml\n<think>\nhm\n</think>\n```"), want: said("```xml\n<think>\nhm\n</think>\n```")},
	{name: "a closing tag in inline code", quirk: "think-quoted",
		body: written("It ends with `</think>` then."), want: said("It ends with `</think>` then.")},
	{name: "never closed", quirk: "think-never-closed", body: written("<think>It is June."), want: thoughtThen("It is June.", "")},
	{name: "empty", quirk: "think-tags", body: answered(textChunk("<think></think>Sunny.")), want: said("Sunny.")},
	{name: "before a call", quirk: "think-tags", tools: true,
		body: called(slices.Concat(spelled("<think>I must look.</think>"), []string{callChunk(0, "w1", "get_weather", rome)})...),
		want: want{reasoning: "I must look.", calls: calls(weather("w1", rome)), finish: "tool_calls"}},
	{name: "a call as text inside", quirk: "think-tags", tools: true,
		body: answered(textChunk("<think>So:\n<tool_call>{\"name\":\"get_time\",\"arguments\":{}}</tool_call>\n</think>Sunny.")),
		want: thoughtThen("So:\n<tool_call>{\"name\":\"get_time\",\"arguments\":{}}</tool_call>\n", "Sunny.")},
	{name: "a call as text behind", quirk: "think-tags", tools: true,
		body: written("<think>I must look.</think>\n\n<tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Rome\"}}</tool_call>"),
		want: want{reasoning: "I must look.", calls: calls(weather("", rome)), finish: "tool_calls"}},
	{name: "only the beginning of a tag", quirk: "think-quoted", body: answered(textChunk("<thi")), want: said("<thi")},
}

// runeByRune is text in chunks of one rune each.
func runeByRune(text string) (events []string) {
	for _, r := range text {
		events = append(events, textChunk(string(r)))
	}
	return events
}
