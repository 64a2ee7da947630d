package streamtest

import "fusebox/agent"

func usageOf(input, output int64) agent.Usage {
	return agent.Usage{Tokens: agent.Tokens{InputTokens: input, OutputTokens: output}}
}

// sunny is an answer with the given usage.
func sunny(u agent.Usage) Want { return Want{Text: "Sunny.", Finish: "stop", Usage: u} }

// usageFixtures: the last figure that was sent, never a sum.
var usageFixtures = []Fixture{
	{Name: "in a last chunk without choices", Quirk: "usage-last-chunk",
		Body: SSE(Text("Sunny."), Finish("stop"), UsageChunk, Done), Want: sunny(Usage)},
	{Name: "in a last chunk, without an end mark", Quirk: "usage-last-chunk",
		Body: SSE(Text("Sunny."), Finish("stop"), UsageChunk), Want: sunny(Usage)},
	{Name: "in the last content chunk", Quirk: "usage-last-content-chunk",
		Body: SSE(Text("Sun"), `{"choices":[{"index":0,"delta":{"content":"ny."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, Done),
		Want: sunny(usageOf(9, 2))},
	{Name: "cumulative in every chunk", Quirk: "usage-cumulative",
		Body: SSE(`{"choices":[{"index":0,"delta":{"content":"Sun"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`,
			`{"choices":[{"index":0,"delta":{"content":"ny."}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`, Done),
		Want: sunny(usageOf(9, 3))},
	{Name: "the same figure twice", Quirk: "usage-cumulative",
		Body: SSE(Text("Sunny."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, Done),
		Want: sunny(usageOf(9, 2))},
	{Name: "beside the vendor's name", Quirk: "usage-in-x-groq",
		Body: SSE(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"x_groq":{"id":"req_1"}}`, Text("Sunny."),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.1,"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}}`, Done),
		Want: sunny(usageOf(9, 2))},
	{Name: "in the choice", Quirk: "usage-in-choice",
		Body: SSE(Text("Sunny."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}]}`, Done),
		Want: sunny(usageOf(9, 2))},
	{Name: "null in every chunk but the last", Quirk: "usage-null",
		Body: SSE(`{"choices":[{"index":0,"delta":{"content":"Sunny."}}],"usage":null}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, Done),
		Want: sunny(usageOf(9, 2))},
	{Name: "null behind the figure", Quirk: "usage-null",
		Body: SSE(`{"choices":[{"index":0,"delta":{"content":"Sunny."}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`, Done),
		Want: sunny(usageOf(9, 2))},
	{Name: "null, and nothing else", Quirk: "usage-null",
		Body: SSE(`{"choices":[{"index":0,"delta":{"content":"Sunny."}}],"usage":null}`, Finish("stop"), Done), Want: said("Sunny.")},
	{Name: "nowhere", Quirk: "usage-nowhere", Body: Answered(Text("Sunny.")), Want: said("Sunny.")},
	{Name: "nowhere, with a call", Quirk: "usage-nowhere", Tools: true,
		Body: Called(Call(0, "w1", "get_weather", Rome)), Want: asked(weather("w1", Rome))},
	{Name: "cached and reasoning tokens", Quirk: "usage-details",
		Body: SSE(Text("Sunny."), Finish("stop"), `{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":20,"total_tokens":110,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":15}}}`, Done),
		Want: sunny(agent.Usage{Tokens: agent.Tokens{InputTokens: 90, CachedTokens: 64, OutputTokens: 20, ReasoningTokens: 15}})},
	{Name: "details that are null", Quirk: "usage-details",
		Body: SSE(Text("Sunny."), Finish("stop"), `{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":20,"total_tokens":110,"prompt_tokens_details":null,"completion_tokens_details":null,"prompt_cache_hit_tokens":32,"prompt_cache_miss_tokens":58}}`, Done),
		Want: sunny(agent.Usage{Tokens: agent.Tokens{InputTokens: 90, CachedTokens: 32, OutputTokens: 20}})},
	{Name: "a trailing usage chunk leaves the finish reason", Quirk: "usage-last-chunk", Tools: true,
		Body: SSE(Call(0, "w1", "get_weather", Rome), Finish("tool_calls"), `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, Done),
		Want: Want{Calls: Calls(weather("w1", Rome)), Finish: "tool_calls", Usage: usageOf(9, 2)}},

	{Name: "filter results in a first chunk without choices", Quirk: "azure-first-chunk",
		Body: SSE(`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`,
			`{"choices":[{"index":0,"content_filter_offsets":{"check_offset":1},"content_filter_results":{"hate":{"filtered":false}},"delta":{"content":"Sunny."},"finish_reason":null,"logprobs":null}]}`, Finish("stop"), Done),
		Want: said("Sunny.")},
	{Name: "choices that are null", Quirk: "azure-first-chunk",
		Body: SSE(`{"choices":null}`, Text("Sunny."), Finish("stop"), Done), Want: said("Sunny.")},
	{Name: "an answer that was not asked for", Quirk: "other-choices",
		Body: SSE(`{"choices":[{"index":0,"delta":{"content":"Sunny."}},{"index":1,"delta":{"content":"Rainy."}}]}`, `{"choices":[{"index":1,"delta":{},"finish_reason":"length"},{"index":0,"delta":{},"finish_reason":"stop"}]}`, Done),
		Want: said("Sunny.")},
	{Name: "a refusal", Quirk: "refusal-for-content",
		Body: Answered(Delta(`"content":null,"refusal":"I will "`), Delta(`"content":null,"refusal":"not."`)), Want: said("I will not.")},
}
