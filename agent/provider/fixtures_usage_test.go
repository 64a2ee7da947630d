package provider

import "fusebox/agent"

func usageOf(input, output int64) agent.Usage {
	return agent.Usage{Tokens: agent.Tokens{InputTokens: input, OutputTokens: output}}
}

// sunny is an answer with the given usage.
func sunny(u agent.Usage) want { return want{text: "Sunny.", finish: "stop", usage: u} }

// usageFixtures: the last figure that was sent, never a sum.
var usageFixtures = []fixture{
	{name: "in a last chunk without choices", quirk: "usage-last-chunk",
		body: sse(textChunk("Sunny."), finish("stop"), usageChunk, done), want: sunny(usage11)},
	{name: "in a last chunk, without an end mark", quirk: "usage-last-chunk",
		body: sse(textChunk("Sunny."), finish("stop"), usageChunk), want: sunny(usage11)},
	{name: "in the last content chunk", quirk: "usage-last-content-chunk",
		body: sse(textChunk("Sun"), `{"choices":[{"index":0,"delta":{"content":"ny."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, done),
		want: sunny(usageOf(9, 2))},
	{name: "cumulative in every chunk", quirk: "usage-cumulative",
		body: sse(`{"choices":[{"index":0,"delta":{"content":"Sun"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`,
			`{"choices":[{"index":0,"delta":{"content":"ny."}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`, done),
		want: sunny(usageOf(9, 3))},
	{name: "the same figure twice", quirk: "usage-cumulative",
		body: sse(textChunk("Sunny."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, done),
		want: sunny(usageOf(9, 2))},
	{name: "beside the vendor's name", quirk: "usage-in-x-groq",
		body: sse(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"x_groq":{"id":"req_1"}}`, textChunk("Sunny."),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.1,"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}}`, done),
		want: sunny(usageOf(9, 2))},
	{name: "in the choice", quirk: "usage-in-choice",
		body: sse(textChunk("Sunny."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}]}`, done),
		want: sunny(usageOf(9, 2))},
	{name: "null in every chunk but the last", quirk: "usage-null",
		body: sse(`{"choices":[{"index":0,"delta":{"content":"Sunny."}}],"usage":null}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, done),
		want: sunny(usageOf(9, 2))},
	{name: "null behind the figure", quirk: "usage-null",
		body: sse(`{"choices":[{"index":0,"delta":{"content":"Sunny."}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`, done),
		want: sunny(usageOf(9, 2))},
	{name: "null, and nothing else", quirk: "usage-null",
		body: sse(`{"choices":[{"index":0,"delta":{"content":"Sunny."}}],"usage":null}`, finish("stop"), done), want: said("Sunny.")},
	{name: "nowhere", quirk: "usage-nowhere", body: answered(textChunk("Sunny.")), want: said("Sunny.")},
	{name: "nowhere, with a call", quirk: "usage-nowhere", tools: true,
		body: called(callChunk(0, "w1", "get_weather", rome)), want: asked(weather("w1", rome))},
	{name: "cached and reasoning tokens", quirk: "usage-details",
		body: sse(textChunk("Sunny."), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":20,"total_tokens":110,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":15}}}`, done),
		want: sunny(agent.Usage{Tokens: agent.Tokens{InputTokens: 90, CachedTokens: 64, OutputTokens: 20, ReasoningTokens: 15}})},
	{name: "details that are null", quirk: "usage-details",
		body: sse(textChunk("Sunny."), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":20,"total_tokens":110,"prompt_tokens_details":null,"completion_tokens_details":null,"prompt_cache_hit_tokens":32,"prompt_cache_miss_tokens":58}}`, done),
		want: sunny(agent.Usage{Tokens: agent.Tokens{InputTokens: 90, CachedTokens: 32, OutputTokens: 20}})},
	{name: "a trailing usage chunk leaves the finish reason", quirk: "usage-last-chunk", tools: true,
		body: sse(callChunk(0, "w1", "get_weather", rome), finish("tool_calls"), `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, done),
		want: want{calls: calls(weather("w1", rome)), finish: "tool_calls", usage: usageOf(9, 2)}},

	{name: "filter results in a first chunk without choices", quirk: "azure-first-chunk",
		body: sse(`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`,
			`{"choices":[{"index":0,"content_filter_offsets":{"check_offset":1},"content_filter_results":{"hate":{"filtered":false}},"delta":{"content":"Sunny."},"finish_reason":null,"logprobs":null}]}`, finish("stop"), done),
		want: said("Sunny.")},
	{name: "choices that are null", quirk: "azure-first-chunk",
		body: sse(`{"choices":null}`, textChunk("Sunny."), finish("stop"), done), want: said("Sunny.")},
	{name: "an answer that was not asked for", quirk: "other-choices",
		body: sse(`{"choices":[{"index":0,"delta":{"content":"Sunny."}},{"index":1,"delta":{"content":"Rainy."}}]}`, `{"choices":[{"index":1,"delta":{},"finish_reason":"length"},{"index":0,"delta":{},"finish_reason":"stop"}]}`, done),
		want: said("Sunny.")},
	{name: "a refusal", quirk: "refusal-for-content",
		body: answered(delta(`"content":null,"refusal":"I will "`), delta(`"content":null,"refusal":"not."`)), want: said("I will not.")},
}
