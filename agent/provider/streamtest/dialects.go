package streamtest

import (
	"slices"

	"fusebox/agent"
)

// What models of 2026 write in place of a call where their server does not read it.
const (
	harmony  = `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Rome"}<|call|>`
	glm      = "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n</tool_call>"
	minimax  = "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Rome</parameter>\n</invoke>\n</minimax:tool_call>"
	kimi     = `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Rome"}<|tool_call_end|><|tool_calls_section_end|>`
	python   = `<|python_tag|>{"name": "get_weather", "parameters": {"city":"Rome"}}`
	function = "<function=get_weather><parameter=city>Rome</parameter></function>"
	invokes  = "<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Rome</parameter>\n</invoke>\n</function_calls>"
)

func note(args string) agent.CallRequest { return agent.CallRequest{Name: "note", Arguments: args} }

// meant is a text, and what it means.
type meant struct {
	name, quirk, text string
	want              Want
}

// Calls: the whole answer, or what stands behind other text.
var meantCalls = []meant{
	{"Harmony", "harmony", harmony, fromText(weather("", Rome))},
	{"Harmony, from the start of a message", "harmony", "<|start|>assistant" + harmony, fromText(weather("", Rome))},
	{"Harmony, the role without its token", "harmony", "assistant" + harmony, fromText(weather("", Rome))},
	{"Harmony, the recipient before the channel", "harmony", `<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"city":"Rome"}<|call|>`, fromText(weather("", Rome))},
	{"Harmony, no end mark", "harmony", `<|channel|>commentary to=get_weather<|message|>{"city":"Rome"}`, fromText(weather("", Rome))},
	{"Harmony, behind its thoughts", "harmony", "<|channel|>analysis<|message|>I must look.<|end|><|start|>assistant" + harmony, Want{Reasoning: "I must look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"Harmony, behind a word to the person", "harmony", "<|channel|>commentary<|message|>I will look.<|end|><|start|>assistant" + harmony, Want{Text: "I will look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"Harmony, only an answer", "harmony", "<|channel|>analysis<|message|>It is June.<|end|><|start|>assistant<|channel|>final<|message|>Sunny.<|return|>", thoughtThen("It is June.", "Sunny.")},
	{"Harmony, two calls", "harmony", harmony + "<|start|>assistant<|channel|>commentary to=functions.get_time<|message|>{}<|call|>", fromText(weather("", Rome), theTime(""))},
	{"Harmony, its tokens left out", "harmony", `assistantcommentary to=functions.get_weather json{"city":"Rome"}`, fromText(weather("", Rome))},
	{"Harmony, an end mark in an argument", "harmony", `<|channel|>commentary to=functions.note<|message|>{"text":"<|end|>"}<|call|>`, fromText(note(`{"text":"<|end|>"}`))},

	{"GLM", "glm", glm, fromText(weather("", Rome))},
	{"GLM, on one line", "glm", "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>", fromText(weather("", Rome))},
	{"GLM, without arguments", "glm", "<tool_call>get_time</tool_call>", fromText(theTime(""))},
	{"GLM, two calls", "glm", glm + "\n<tool_call>get_time\n</tool_call>", fromText(weather("", Rome), theTime(""))},
	{"GLM, behind a sentence", "glm", "I will look.\n" + glm, Want{Text: "I will look.\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"GLM, the token of a stop behind it", "glm", glm + "<|observation|>", fromText(weather("", Rome))},
	{"GLM, values by their types", "glm-types", "<tool_call>note\n<arg_key>text</arg_key>\n<arg_value>42</arg_value>\n<arg_key>lines</arg_key>\n<arg_value>42</arg_value>\n<arg_key>draft</arg_key>\n<arg_value>true</arg_value>\n<arg_key>tags</arg_key>\n<arg_value>[\"a\", 1]</arg_value>\n</tool_call>",
		fromText(note(`{"draft":true,"lines":42,"tags":["a",1],"text":"42"}`))},
	{"GLM, a text with tags, quotes, and lines", "glm-types", "<tool_call>note\n<arg_key>text</arg_key>\n<arg_value>if a < b {\n\t\"<b>\" </arg_value> </tool_call>\n}</arg_value>\n</tool_call>",
		fromText(note(`{"text":"if a < b {\n\t\"<b>\" </arg_value> </tool_call>\n}"}`))},

	{"MiniMax", "minimax", minimax, fromText(weather("", Rome))},
	{"MiniMax, two calls in one", "minimax", "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Rome</parameter>\n</invoke>\n<invoke name=\"get_time\">\n</invoke>\n</minimax:tool_call>", fromText(weather("", Rome), theTime(""))},
	{"MiniMax, behind a sentence", "minimax", "I will look.\n\n" + minimax, Want{Text: "I will look.\n\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"MiniMax, values by their types", "minimax", "<minimax:tool_call>\n<invoke name=\"note\">\n<parameter name=\"text\">[1]</parameter>\n<parameter name=\"weight\">1.50</parameter>\n<parameter name=\"about\">null</parameter>\n<parameter name=\"lines\">12345678901234567890</parameter>\n</invoke>\n</minimax:tool_call>",
		fromText(note(`{"about":null,"lines":12345678901234567890,"text":"[1]","weight":1.50}`))},
	{"invokes", "invoke", invokes, fromText(weather("", Rome))},
	{"invokes with a prefix", "invoke", "<" + "antml:function_calls>\n<" + "antml:invoke name=\"get_weather\">\n<" + "antml:parameter name=\"city\">Rome</" + "antml:parameter>\n</" + "antml:invoke>\n</" + "antml:function_calls>", fromText(weather("", Rome))},
	{"an invoke on its own", "invoke", "<invoke name=\"get_weather\">\n<parameter name=\"city\">Rome</parameter>\n</invoke>", fromText(weather("", Rome))},
	{"an invoke whose text holds its own tags", "invoke", "<invoke name=\"note\">\n<parameter name=\"text\"><parameter name=\"x\">y</parameter> is one</parameter>\n</invoke>", fromText(note(`{"text":"<parameter name=\"x\">y</parameter> is one"}`))},

	{"Kimi", "kimi", kimi, fromText(weather("", Rome))},
	{"Kimi, behind a sentence on its line", "kimi", "I will look." + kimi, Want{Text: "I will look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"Kimi, behind a quotation", "kimi", "I call \"get_weather\"" + kimi, Want{Text: "I call \"get_weather\"", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"Kimi, two calls", "kimi", `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Rome"}<|tool_call_end|><|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`, fromText(weather("", Rome), theTime(""))},
	{"Kimi, without its section", "kimi", `<|tool_call_begin|>get_weather<|tool_call_argument_begin|>{"city":"Rome"}<|tool_call_end|>`, fromText(weather("", Rome))},
	{"Kimi, the section not ended", "kimi", `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Rome"}<|tool_call_end|>`, fromText(weather("", Rome))},

	{"Llama", "python-tag", python, fromText(weather("", Rome))},
	{"Llama, a call as Python has it", "python-tag", `<|python_tag|>get_weather.call(city="Rome")`, fromText(weather("", Rome))},
	{"Llama, values as Python has them", "python-tag", `<|python_tag|>note(text='it\'s "so"', lines=3, draft=True, about=None, tags=["a"])<|eom_id|>`, fromText(note(`{"about":null,"draft":true,"lines":3,"tags":["a"],"text":"it's \"so\""}`))},
	{"Llama, two objects", "python-tag", python + `; {"name": "get_time", "parameters": {}}`, fromText(weather("", Rome), theTime(""))},
	{"Llama, a list of calls", "python-tag", `<|python_start|>[get_weather(city="Rome"), get_time()]<|python_end|>`, fromText(weather("", Rome), theTime(""))},
	{"Llama, JSON in a function tag", "python-tag", `<function=get_weather>{"city":"Rome"}</function>`, fromText(weather("", Rome))},
	{"Llama, an object with its type first", "bare-object", `{"type": "function", "name": "get_weather", "parameters": {"city":"Rome"}}`, fromText(weather("", Rome))},
	{"a list of bare objects", "bare-object", `[{"name": "get_weather", "arguments": {"city":"Rome"}}, {"name": "get_time", "arguments": {}}]`, fromText(weather("", Rome), theTime(""))},
	{"a bare object as in a request", "bare-object", `{"type": "function", "function": {"name": "get_weather", "arguments": {"city":"Rome"}}}`, fromText(weather("", Rome))},

	{"a list of calls as Python has them", "python-list", `[get_weather(city="Rome"), get_time()]`, fromText(weather("", Rome), theTime(""))},
	{"a list of one call as Python has it", "python-list", "[ get_weather(city='Rome') ]<|eot_id|>", fromText(weather("", Rome))},
	{"a list of calls, over lines", "python-list", "[\n  get_weather(\n    city=\"Rome\",\n  ),\n  get_time(),\n]", fromText(weather("", Rome), theTime(""))},
	{"Gemma", "tool-code", "```tool_code\nget_weather(city=\"Rome\")\n```", fromText(weather("", Rome))},
	{"Gemma, printed, in its namespace", "tool-code", "I will look.\n\n```tool_code\nprint(default_api.get_weather(city=\"Rome\"))\n```", Want{Text: "I will look.\n\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"Gemma, two calls", "tool-code", "```tool_code\nprint(get_weather(city=\"Rome\"))\nprint(get_time())\n```", fromText(weather("", Rome), theTime(""))},
	{"Gemma, a list in a fence that is not shut", "tool-code", "```tool_code\n[get_weather(city=\"Rome\")]", fromText(weather("", Rome))},
	{"ReAct", "react", "Action: get_weather\nAction Input: {\"city\":\"Rome\"}", fromText(weather("", Rome))},
	{"ReAct, behind a thought", "react", "Thought: I should look.\nAction: get_weather\nAction Input: {\"city\":\"Rome\"}\n", Want{Text: "Thought: I should look.\n", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"ReAct, with a result that it invents", "react", "Action: get_weather\nAction Input: {\"city\":\"Rome\"}\nObservation: It is sunny.\nThought: I know.\nFinal Answer: Sunny.", fromText(weather("", Rome))},
	{"ReAct, the input on lines of its own", "react", "Action:get_weather\n\nAction Input:\n{\n  \"city\": \"Rome\"\n}\nThought: Now I wait.", fromText(weather("", "{\n  \"city\": \"Rome\"\n}"))},

	{"Mistral, with an id", "mistral", `[TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city":"Rome"}`, fromText(weather("", Rome))},
	{"Mistral, no mark before the arguments", "mistral", `[TOOL_CALLS]get_weather{"city":"Rome"}`, fromText(weather("", Rome))},
	{"Mistral, behind a sentence on its line", "mistral", `I will look.[TOOL_CALLS]get_weather[ARGS]{"city":"Rome"}</s>`, Want{Text: "I will look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},

	{"Qwen's coder, on one line", "functions", function, fromText(weather("", Rome))},
	{"Qwen's coder, only the outer end", "functions", function + "\n</tool_call>", fromText(weather("", Rome))},
	{"Qwen's coder, a text that keeps its last line end", "functions", "<function=note>\n<parameter=text>\na < b\n\n</parameter>\n<parameter=draft>\nTrue\n</parameter>\n</function>", fromText(note(`{"draft":true,"text":"a < b\n"}`))},
	{"Qwen's coder, a text that holds the end of a call", "functions", "<tool_call>\n<function=note>\n<parameter=text>\nIt ends with </parameter> and </function> and </tool_call> too.\n</parameter>\n</function>\n</tool_call>",
		fromText(note(`{"text":"It ends with </parameter> and </function> and </tool_call> too."}`))},
	{"tagged, the outer end left out", "tagged", `<tool_call>{"name":"get_weather","arguments":{"city":"Rome"}}`, fromText(weather("", Rome))},
	{"tagged, indented", "tagged", " " + tagged, fromText(weather("", Rome))},
	{"tagged, an end mark in an argument", "tagged", `<tool_call>{"name":"note","arguments":{"text":"</tool_call>"}}</tool_call>`, fromText(note(`{"text":"</tool_call>"}`))},
	{"tagged, a namespace before the name", "tagged", `<tool_call>{"name":"functions.get_weather","arguments":{"city":"Rome"}}</tool_call>`, fromText(weather("", Rome))},
	{"Seed", "seed", "<seed:tool_call>\n" + function + "\n</seed:tool_call>", fromText(weather("", Rome))},
	{"Hunyuan", "hunyuan", "<tool_calls>\n<tool_call>get_weather\n```json\n{\"city\":\"Rome\"}\n```\n</tool_call>\n</tool_calls>", fromText(weather("", `{"city":"Rome"}`))},
	{"DeepSeek, without the word function", "deepseek", `I will look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"Rome"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`, Want{Text: "I will look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"Jamba", "jamba", "<tool_calls>[\n  {\"name\": \"get_weather\", \"arguments\": {\"city\":\"Rome\"}},\n  {\"name\": \"get_time\", \"arguments\": {}}\n]</tool_calls>", fromText(weather("", Rome), theTime(""))},
	{"Liquid", "liquid", `<|tool_call_start|>[get_weather(city="Rome")]<|tool_call_end|>`, fromText(weather("", Rome))},
	{"InternLM", "internlm", `I will look.<|action_start|><|plugin|>{"name": "get_weather", "parameters": {"city":"Rome"}}<|action_end|>`, Want{Text: "I will look.", Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
	{"Phi, behind a word", "functools", `functools[{"name": "get_weather", "arguments": {"city":"Rome"}}]`, fromText(weather("", Rome))},
	{"a tag for a function", "function-call", `<function_call>{"name": "get_weather", "arguments": {"city":"Rome"}}</function_call>`, fromText(weather("", Rome))},
	{"GLM, lines as Windows ends them", "glm", "<tool_call>note\r\n<arg_key>text</arg_key>\r\n<arg_value>\r\na\r\nb\r\n</arg_value>\r\n</tool_call>", fromText(note(`{"text":"a\r\nb"}`))},
	{"Harmony, thoughts alone", "harmony", "<|channel|>analysis<|message|>I must look.<|end|>", thoughtThen("I must look.", "")},
	{"Cohere", "cohere", `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city":"Rome"}}]<|END_ACTION|>`, fromText(weather("", Rome))},
}

// What was meant to be a call and cannot be made.
var meantMistakes = []meant{
	{"GLM, an unknown tool", "glm", "<tool_call>rm\n<arg_key>path</arg_key>\n<arg_value>/</arg_value>\n</tool_call>", mistake("no tool of that name")},
	{"GLM, an argument without its value", "glm", "<tool_call>get_weather\n<arg_key>city</arg_key>\n</tool_call>", mistake("not whole")},
	{"GLM, broken off behind an argument", "glm", "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>", mistake("not whole")},
	{"GLM, the first of two broken", "glm", "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Rome</tool_call>\n" + glm, mistake("not whole")},
	{"GLM, no name", "glm", "<tool_call>\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n</tool_call>", mistake("not whole")},
	{"MiniMax, an unknown tool", "minimax", "<minimax:tool_call>\n<invoke name=\"get_rain\">\n</invoke>\n</minimax:tool_call>", mistake("no tool of that name")},
	{"MiniMax, broken off", "minimax", "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Ro", mistake("not whole")},
	{"Harmony, the tool of its own", "harmony", `<|channel|>commentary to=browser.search code<|message|>{"query":"Rome"}<|call|>`, mistake("no tool of that name")},
	{"Harmony, broken off", "harmony", `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Ro`, mistake("not whole")},
	{"Kimi, an unknown tool", "kimi", `<|tool_call_begin|>functions.rm:0<|tool_call_argument_begin|>{}<|tool_call_end|>`, mistake("no tool of that name")},
	{"Kimi, an unknown tool behind a sentence", "kimi", `I will look.<|tool_call_begin|>functions.rm:0<|tool_call_argument_begin|>{}<|tool_call_end|>`, Want{Text: "I will look.", Finish: "stop", Mistake: "no tool of that name"}},
	{"Kimi, broken off behind a sentence", "kimi", `I will look.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"ci`, Want{Text: "I will look.", Finish: "stop", Mistake: "not whole"}},
	{"Llama, a tool of its own", "python-tag", `<|python_tag|>brave_search.call(query="Rome")`, mistake("no tool of that name")},
	{"Llama, code", "python-tag", "<|python_tag|>import math\nprint(math.pi)", mistake("not whole")},
	{"ReAct, an unknown tool", "react", "Action: rm\nAction Input: {\"path\":\"/\"}", mistake("no tool of that name")},
	{"ReAct, the input is no object", "react", "Action: get_weather\nAction Input: Rome", mistake("not whole")},
	{"Gemma, code", "tool-code", "```tool_code\nfor city in [\"Rome\"]:\n  print(get_weather(city=city))\n```", mistake("not whole")},
	{"Mistral, a list with an unknown tool", "mistral", `[TOOL_CALLS][{"name":"rm","arguments":{}}]`, mistake("no tool of that name")},
	{"Mistral, broken off", "mistral", `[TOOL_CALLS]get_weather[ARGS]{"city":`, mistake("not whole")},
	{"Qwen's coder, an argument not ended", "functions", "<function=get_weather>\n<parameter=city>\nRome\n</function>", mistake("not whole")},
	{"invokes, the name missing", "invoke", "<function_calls>\n<invoke name=\"\">\n</invoke>\n</function_calls>", mistake("not whole")},
}

// What only tells how calls are written.
var meantProse = []string{
	"GLM writes <tool_call>NAME<arg_key>…</arg_key></tool_call>.",
	"<tool_call>NAME</tool_call> is how GLM begins.",
	"<tool_call> opens a call, and </tool_call> ends it.",
	"<tool_call> 是 GLM 的工具调用格式。",
	"So it looks:\n<tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>\nNAME is the tool's.",
	"So it looks:\n```xml\n" + glm + "\n```\nThat is all.",
	"So it looks:\n```\n" + minimax + "\n```",
	"So it looks:\n\n    " + kimi,
	"Kimi begins with <|tool_calls_section_begin|> and ends with <|tool_calls_section_end|>.",
	"It is `" + kimi + "` there.",
	"It is `" + harmony + "`.",
	"> " + python,
	"Llama puts <|python_tag|> before a call.",
	"<|python_tag|> marks a call in Llama.",
	"[TOOL_CALLS] is what Mistral writes.",
	"Mistral: `[TOOL_CALLS]`, Kimi: `<|tool_calls_section_begin|>`; take a note of that",
	"The tokens <|start|>, <|channel|>, and <|message|> are of Harmony.",
	"a <| b, c [TOOL d <",
	"<tool_call> opens a call, such as that of **get_weather** or (get_time).",
	"<tool_call> is the tag:\n```json\n{\"name\":\"get_weather\",\"arguments\":{}}\n```\nThat is all.",
	"<tool_call>s can be made of:\n- get_weather\n- get_time\n",
	"<function_calls> is the block.\n\"get_weather\" takes a city.",
	"assistant<|im_end|>\nIt is sunny.",
	"- > " + python,
	"| Llama | " + python + " |\n| Mistral | [TOOL_CALLS]get_time{} |",
	"Llama: \"" + python + "\"",
	"Kimi: “" + kimi + "”",
	`{"name": "get_time", "description": "Tells the time.", "parameters": {"type": "object", "properties": {}}}`,
	`[{"name": "note", "description": "Takes a note.", "parameters": {"type": "object", "properties": {}}}]`,
	`{"type": "point", "x": 1}`,
	`[{"name": "Rome"}, {"name": "Oslo"}]`,
	"[1] says so.",
	"[get_weather](https://example.org/get_weather) says so.",
	"[see(also)] the list.",
	"[min(a, b)]",
	"Action: call the office.\nAction Input: a number.",
	"Action: Rest.\nThen go on.",
	"Actions: none.\nAction",
	"```tool_code\nimport math\n```\nis how Gemma begins.",
	"```tool_codes\nx\n```",
	"```go\n[get_time()]\n```",
	"It looks so:\n```json\n" + bare + "\n```",
}

// dialectFixtures is each of them in one chunk, in chunks of some runes, and rune by rune.
func dialectFixtures() (all []Fixture) {
	for _, text := range meantProse {
		all = append(all, inAllPieces(meant{Quoted(text), "prose", text, stays(text)})...)
	}
	for _, m := range slices.Concat(meantCalls, meantMistakes) {
		all = append(all, inAllPieces(m)...)
	}
	return all
}

func inAllPieces(m meant) []Fixture {
	quirk := "dialect-" + m.quirk
	return []Fixture{
		{Name: m.name + ", whole", Quirk: quirk, Tools: true, Body: Answered(Text(m.text)), Want: m.want},
		{Name: m.name + ", spelled", Quirk: quirk, Tools: true, Body: written(m.text), Want: m.want},
		{Name: m.name + ", rune by rune", Quirk: quirk, Tools: true, Body: Answered(runeByRune(m.text)...), Want: m.want},
	}
}

// thoughtOnly is an answer of nothing but reasoning.
func thoughtOnly(text string, calls ...agent.CallRequest) Fixture {
	f := Fixture{Tools: true, Body: Answered(Delta(`"reasoning_content":`+Quoted(text)), Delta(`"content":""`)), Want: thoughtThen(text, "")}
	if f.Want.Calls = calls; len(calls) > 0 {
		f.Want.Finish = "tool_calls"
	}
	return f
}

func (f Fixture) called(name string) Fixture {
	f.Name, f.Quirk = name, "call-in-reasoning"
	return f
}

// thoughtCallFixtures: calls with which reasoning ends that no answer follows.
var thoughtCallFixtures = []Fixture{
	thoughtOnly("I should look.\n"+functions, weather("", Rome)).called("functions in the reasoning"),
	thoughtOnly("I should look.\n"+tagged+"\n", weather("", Rome)).called("tagged in the reasoning"),
	thoughtOnly(glm, weather("", Rome)).called("GLM in the reasoning"),
	thoughtOnly("I should look."+kimi, weather("", Rome)).called("Kimi in the reasoning"),
	thoughtOnly("I should look.\n" + tagged + "\nOr not?").called("a thought behind a call in the reasoning"),
	thoughtOnly("I should look.\n```\n" + tagged + "\n```").called("a quoted call in the reasoning"),
	thoughtOnly("I should look.\n<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>").called("an unknown tool in the reasoning"),
	thoughtOnly("I should look.\n<tool_call>{\"name\":\"get_weather\",").called("half a call in the reasoning"),
	{Name: "a call in reasoning before an answer", Quirk: "call-in-reasoning", Tools: true,
		Body: Answered(Delta(`"reasoning_content":`+Quoted("I should look.\n"+tagged)), Text("Sunny.")), Want: thoughtThen("I should look.\n"+tagged, "Sunny.")},
	{Name: "a call in reasoning before another", Quirk: "call-in-reasoning", Tools: true,
		Body: Called(Delta(`"reasoning_content":`+Quoted("I should look.\n"+tagged)), Call(0, "t1", "get_time", "{}")), Want: Want{Reasoning: "I should look.\n" + tagged, Calls: Calls(theTime("t1")), Finish: "tool_calls"}},
	{Name: "a call inside a tag that is never closed", Quirk: "call-in-reasoning", Tools: true,
		Body: written("<think>I should look.\n" + tagged), Want: Want{Reasoning: "I should look.\n" + tagged, Calls: Calls(weather("", Rome)), Finish: "tool_calls"}},
}
