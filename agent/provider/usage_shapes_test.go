package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// shape is one way in which endpoints tell what a call took, and the five
// figures that are to come of it.
type shape struct {
	name string
	// usage is in a last chunk without choices, and in a whole completion.
	usage string
	// beside are further members of that chunk and of that completion.
	beside string
	// stream are the events of a stream that has another layout. There is no
	// whole completion of it.
	stream []string
	want   agent.Usage
}

// What an estimate stands for in the table.
const (
	guessedInput  = -1
	guessedOutput = -2
)

// shapeText is the answer of all shapes.
const shapeText = "It is sunny in Rome."

func told5(input, cached, output, reasoning int64) agent.Usage {
	return agent.Usage{Tokens: agent.Tokens{InputTokens: input, CachedTokens: cached, OutputTokens: output, ReasoningTokens: reasoning}}
}

func guessed5(input, cached, output, reasoning int64) agent.Usage {
	u := told5(input, cached, output, reasoning)
	u.Estimated = true
	return u
}

// sunnyChunk is the answer with further members.
func sunnyChunk(beside string) string {
	return `{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":"` + shapeText + `"},"finish_reason":null}]` + beside + `}`
}

func lastChunk(beside string) string {
	return `{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]` + beside + `}`
}

var nothingTold = guessed5(guessedInput, 0, guessedOutput, 0)

var usageShapes = []shape{
	{name: "OpenAI", usage: `{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}`, want: told5(19, 0, 10, 0)},
	{name: "OpenAI, all details", usage: `{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},
		"completion_tokens_details":{"reasoning_tokens":192,"audio_tokens":0,"accepted_prediction_tokens":40,"rejected_prediction_tokens":12}}`, want: told5(2006, 1920, 300, 192)},
	{name: "OpenAI, all of it reasoning", usage: `{"prompt_tokens":40,"completion_tokens":256,"total_tokens":296,"completion_tokens_details":{"reasoning_tokens":256}}`, want: told5(40, 0, 256, 256)},
	{name: "the names of the Responses protocol", usage: `{"input_tokens":328,"input_tokens_details":{"cached_tokens":128},"output_tokens":52,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":380}`, want: told5(328, 128, 52, 20)},
	{name: "Azure, filter results in a first chunk, null until the end", stream: []string{
		`{"choices":[],"id":"","model":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}],"usage":null}`,
		sunnyChunk(`,"usage":null`), lastChunk(`,"usage":null`),
		`{"choices":[],"usage":{"completion_tokens":8,"prompt_tokens":22,"total_tokens":30,"completion_tokens_details":{"reasoning_tokens":0},"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0}}}`},
		want: told5(22, 0, 8, 0)},
	{name: "Azure, no usage asked for", stream: []string{`{"choices":[],"prompt_filter_results":[]}`, sunnyChunk(""), lastChunk("")}, want: nothingTold},

	{name: "DeepSeek, hit and miss", usage: `{"prompt_tokens":1300,"completion_tokens":64,"total_tokens":1364,"prompt_tokens_details":{"cached_tokens":1280},"prompt_cache_hit_tokens":1280,"prompt_cache_miss_tokens":20}`, want: told5(1300, 1280, 64, 0)},
	{name: "DeepSeek, hits without details, reasoning", usage: `{"prompt_tokens":90,"completion_tokens":420,"total_tokens":510,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":26,"completion_tokens_details":{"reasoning_tokens":400}}`, want: told5(90, 64, 420, 400)},
	{name: "hit and miss alone", usage: `{"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":26,"completion_tokens":5}`, want: told5(90, 64, 5, 0)},

	{name: "Qwen, cumulative in every chunk", stream: []string{
		sunnyChunk(`,"usage":{"prompt_tokens":26,"completion_tokens":1,"total_tokens":27,"prompt_tokens_details":{"cached_tokens":0}}`),
		sunnyChunk(`,"usage":{"prompt_tokens":26,"completion_tokens":6,"total_tokens":32,"prompt_tokens_details":{"cached_tokens":0}}`),
		lastChunk(`,"usage":{"prompt_tokens":26,"completion_tokens":11,"total_tokens":37,"prompt_tokens_details":{"cached_tokens":0}}`)},
		want: told5(26, 0, 11, 0)},
	{name: "Qwen, explicit cache", usage: `{"prompt_tokens":3019,"completion_tokens":104,"total_tokens":3123,"prompt_tokens_details":{"cached_tokens":2048,"cache_creation_input_tokens":600,"cache_type":"ephemeral"}}`, want: told5(3019, 2048, 104, 0)},
	{name: "Qwen, thinking", usage: `{"prompt_tokens":24,"completion_tokens":1710,"total_tokens":1734,"completion_tokens_details":{"reasoning_tokens":1450,"text_tokens":260},"prompt_tokens_details":{"text_tokens":24}}`, want: told5(24, 0, 1710, 1450)},

	{name: "Gemini, thoughts in the total alone", usage: `{"completion_tokens":151,"prompt_tokens":20,"total_tokens":553}`, want: told5(20, 0, 533, 382)},
	{name: "Gemini, nothing but thoughts", usage: `{"completion_tokens":0,"prompt_tokens":21,"total_tokens":81,"completion_tokens_details":{"reasoning_tokens":60}}`, want: told5(21, 0, 60, 60)},
	{name: "Gemini, cached, in every chunk", stream: []string{
		sunnyChunk(`,"usage":{"prompt_tokens":4100,"completion_tokens":4,"total_tokens":4104,"prompt_tokens_details":{"cached_tokens":4050}}`),
		lastChunk(`,"usage":{"prompt_tokens":4100,"completion_tokens":9,"total_tokens":4209,"prompt_tokens_details":{"cached_tokens":4050}}`)},
		want: told5(4100, 4050, 109, 100)},

	{name: "OpenRouter, cost and cache", usage: `{"prompt_tokens":194,"completion_tokens":20,"total_tokens":214,"cost":0.00095,"is_byok":false,"cost_details":{"upstream_inference_cost":null},
		"prompt_tokens_details":{"cached_tokens":80,"cache_write_tokens":100,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":12,"image_tokens":0}}`, want: told5(194, 80, 20, 12)},
	{name: "OpenRouter, native counts", usage: `{"prompt_tokens":180,"completion_tokens":18,"total_tokens":198,"native_tokens_prompt":194,"native_tokens_completion":20,"native_tokens_reasoning":7,"native_tokens_cached":64,"cost":0.001}`, want: told5(194, 64, 20, 7)},
	{name: "OpenRouter, beside an empty choice", stream: []string{sunnyChunk(""), lastChunk(""),
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":194,"completion_tokens":2,"total_tokens":196,"cost":0.95}}`}, want: told5(194, 0, 2, 0)},

	{name: "Ollama", usage: `{"prompt_tokens":26,"completion_tokens":8,"total_tokens":34}`, want: told5(26, 0, 8, 0)},
	{name: "Ollama, no usage in a stream", stream: []string{sunnyChunk(""), lastChunk("")}, want: nothingTold},
	{name: "Ollama, the counts of its own protocol", beside: `,"done":true,"total_duration":123456789,"prompt_eval_count":26,"eval_count":8`, want: told5(26, 0, 8, 0)},
	{name: "Ollama, a prompt that was read before", beside: `,"done":true,"eval_count":8`, want: guessed5(guessedInput, 0, 8, 0)},

	{name: "vLLM, in every chunk", stream: []string{
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":31,"total_tokens":31,"completion_tokens":0}}`,
		sunnyChunk(`,"usage":{"prompt_tokens":31,"total_tokens":37,"completion_tokens":6}`), lastChunk(`,"usage":{"prompt_tokens":31,"total_tokens":38,"completion_tokens":7}`),
		`{"choices":[],"usage":{"prompt_tokens":31,"total_tokens":38,"completion_tokens":7}}`},
		want: told5(31, 0, 7, 0)},
	{name: "vLLM, details that are null", usage: `{"prompt_tokens":31,"total_tokens":38,"completion_tokens":7,"prompt_tokens_details":null}`, want: told5(31, 0, 7, 0)},
	{name: "vLLM, a prefix from the cache", usage: `{"prompt_tokens":1031,"total_tokens":1038,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":1024}}`, want: told5(1031, 1024, 7, 0)},

	{name: "llama.cpp, usage and timings", usage: `{"completion_tokens":35,"prompt_tokens":237,"total_tokens":272}`,
		beside: `,"timings":{"cache_n":236,"prompt_n":1,"prompt_ms":30.9,"predicted_n":35,"predicted_per_second":52.9}`, want: told5(237, 236, 35, 0)},
	{name: "llama.cpp, timings alone", beside: `,"timings":{"cache_n":236,"prompt_n":1,"predicted_n":35}`, want: told5(237, 236, 35, 0)},
	{name: "llama.cpp, nothing in its cache", beside: `,"timings":{"cache_n":0,"prompt_n":237,"predicted_n":35}`, want: told5(237, 0, 35, 0)},
	{name: "llama.cpp, an older one that tells what it read again", beside: `,"timings":{"prompt_n":1,"prompt_ms":30.9,"predicted_n":35}`, want: guessed5(guessedInput, 0, 35, 0)},
	{name: "llama.cpp, timings for each token", stream: []string{
		sunnyChunk(`,"timings":{"cache_n":12,"prompt_n":20,"predicted_n":1}`), sunnyChunk(`,"timings":{"cache_n":12,"prompt_n":20,"predicted_n":9}`),
		lastChunk(`,"timings":{"cache_n":12,"prompt_n":20,"predicted_n":10}`)}, want: told5(32, 12, 10, 0)},

	{name: "Groq, beside its own name", stream: []string{`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"x_groq":{"id":"req_1"}}`, sunnyChunk(""),
		lastChunk(`,"x_groq":{"id":"req_1","usage":{"queue_time":0.04,"prompt_tokens":40,"prompt_time":0.002,"completion_tokens":8,"total_tokens":48,"total_time":0.02}}`)}, want: told5(40, 0, 8, 0)},
	{name: "Groq, in both places", stream: []string{sunnyChunk(""),
		lastChunk(`,"usage":{"prompt_tokens":40,"completion_tokens":8,"total_tokens":48},"x_groq":{"usage":{"prompt_tokens":40,"completion_tokens":8,"total_tokens":48}}`),
		`{"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":8,"total_tokens":48,"prompt_tokens_details":{"cached_tokens":32}}}`}, want: told5(40, 32, 8, 0)},
	{name: "Groq, zeros in one of both places", stream: []string{sunnyChunk(""),
		lastChunk(`,"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},"x_groq":{"usage":{"prompt_tokens":40,"completion_tokens":8,"total_tokens":48}}`)}, want: told5(40, 0, 8, 0)},

	{name: "Mistral, beside the finish reason", stream: []string{sunnyChunk(""), lastChunk(`,"usage":{"prompt_tokens":17,"total_tokens":25,"completion_tokens":8}`)}, want: told5(17, 0, 8, 0)},
	{name: "Mistral, cached tokens and seconds of audio", usage: `{"prompt_audio_seconds":null,"prompt_tokens":117,"total_tokens":125,"completion_tokens":8,"num_cached_tokens":null,"prompt_tokens_details":{"cached_tokens":64}}`, want: told5(117, 64, 8, 0)},

	{name: "Kimi, cached at the top", usage: `{"prompt_tokens":2989,"completion_tokens":13,"total_tokens":3002,"cached_tokens":2944}`, want: told5(2989, 2944, 13, 0)},
	{name: "Kimi, in the choice", stream: []string{sunnyChunk(""), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":19,"completion_tokens":13,"total_tokens":32,"cached_tokens":8}}]}`}, want: told5(19, 8, 13, 0)},
	{name: "Kimi, in the choice and behind it", stream: []string{sunnyChunk(""), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":19,"completion_tokens":13,"total_tokens":32,"cached_tokens":8}}]}`,
		`{"choices":[],"usage":{"prompt_tokens":19,"completion_tokens":13,"total_tokens":32}}`}, want: told5(19, 8, 13, 0)},

	{name: "xAI, more reasoning than text", usage: `{"prompt_tokens":279,"completion_tokens":6,"total_tokens":374,"prompt_tokens_details":{"text_tokens":279,"audio_tokens":0,"image_tokens":0,"cached_tokens":149},
		"completion_tokens_details":{"reasoning_tokens":89,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0},"num_sources_used":0}`, want: told5(279, 149, 95, 89)},
	{name: "xAI, less reasoning than text", usage: `{"prompt_tokens":32,"completion_tokens":90,"total_tokens":172,"completion_tokens_details":{"reasoning_tokens":50}}`, want: told5(32, 0, 140, 50)},
	{name: "xAI, as much reasoning as there is in the cache", usage: `{"prompt_tokens":100,"completion_tokens":10,"total_tokens":160,"prompt_tokens_details":{"cached_tokens":50},"completion_tokens_details":{"reasoning_tokens":50}}`, want: told5(100, 50, 60, 50)},
	{name: "Perplexity, reasoning outside of the total", usage: `{"prompt_tokens":33,"completion_tokens":716,"total_tokens":749,"citation_tokens":20016,"num_search_queries":30,"reasoning_tokens":9530}`, want: told5(33, 0, 10246, 9530)},

	{name: "Anthropic, cache beside the input", usage: `{"input_tokens":12,"cache_creation_input_tokens":300,"cache_read_input_tokens":2048,"output_tokens":40,"service_tier":"standard"}`, want: told5(2360, 2048, 40, 0)},
	{name: "Anthropic, at the start and at the end", stream: []string{
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":{"input_tokens":25,"cache_read_input_tokens":10,"output_tokens":1}}`,
		sunnyChunk(""), lastChunk(`,"usage":{"output_tokens":15}`)}, want: told5(35, 10, 15, 0)},
	{name: "a gateway to it whose total tells", usage: `{"prompt_tokens":4000,"completion_tokens":40,"total_tokens":6088,"prompt_tokens_details":{"cached_tokens":2048}}`, want: told5(6048, 2048, 40, 0)},
	{name: "a gateway to it that leaves the cache out", usage: `{"prompt_tokens":12,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":2048}}`, want: told5(2060, 2048, 40, 0)},
	{name: "a gateway to it that has the cache in", usage: `{"prompt_tokens":2360,"completion_tokens":40,"total_tokens":2400,"cache_read_input_tokens":2048,"cache_creation_input_tokens":300,"prompt_tokens_details":{"cached_tokens":2048}}`, want: told5(2360, 2048, 40, 0)},
	{name: "Cohere, billed units", usage: `{"billed_units":{"input_tokens":17,"output_tokens":12},"tokens":{"input_tokens":83,"output_tokens":14}}`, want: told5(17, 0, 12, 0)},

	{name: "strings", usage: `{"prompt_tokens":"19","completion_tokens":"10","total_tokens":"29","prompt_tokens_details":{"cached_tokens":"8"}}`, want: told5(19, 8, 10, 0)},
	{name: "fractions", usage: `{"prompt_tokens":19.0,"completion_tokens":1e1,"total_tokens":29.0}`, want: told5(19, 0, 10, 0)},
	{name: "negative numbers", usage: `{"prompt_tokens":-1,"completion_tokens":-5,"total_tokens":-6}`, want: nothingTold},
	{name: "absurd numbers", usage: `{"prompt_tokens":1e300,"completion_tokens":18446744073709551615,"total_tokens":9223372036854775807}`, want: nothingTold},
	{name: "an absurd prompt", usage: `{"prompt_tokens":99999999999,"completion_tokens":10}`, want: guessed5(guessedInput, 0, 10, 0)},
	{name: "null", usage: `null`, want: nothingTold},
	{name: "nulls", usage: `{"prompt_tokens":null,"completion_tokens":null,"total_tokens":null}`, want: nothingTold},
	{name: "an empty object", usage: `{}`, want: nothingTold},
	{name: "a list", usage: `[]`, want: nothingTold},
	{name: "a text", usage: `"none"`, want: nothingTold},
	{name: "details that are a list", usage: `{"prompt_tokens":19,"prompt_tokens_details":[],"completion_tokens":10,"completion_tokens_details":""}`, want: told5(19, 0, 10, 0)},
	{name: "zeros beside a text", usage: `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, want: nothingTold},
	{name: "no output beside a text", usage: `{"prompt_tokens":19,"completion_tokens":0,"total_tokens":19}`, want: guessed5(19, 0, guessedOutput, 0)},
	{name: "no input", usage: `{"prompt_tokens":0,"completion_tokens":10,"total_tokens":10}`, want: guessed5(guessedInput, 0, 10, 0)},
	{name: "a total that tells the output", usage: `{"prompt_tokens":19,"total_tokens":29}`, want: told5(19, 0, 10, 0)},
	{name: "a total that tells the input", usage: `{"completion_tokens":10,"total_tokens":29}`, want: told5(19, 0, 10, 0)},
	{name: "a total alone", usage: `{"total_tokens":58}`, want: guessed5(34, 0, 24, 0)}, // parted like the estimate, 8 and 6
	{name: "a total that is too small", usage: `{"prompt_tokens":19,"completion_tokens":10,"total_tokens":4}`, want: told5(19, 0, 10, 0)},
	{name: "more cached than in the prompt, so beside it", usage: `{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"cached_tokens":500}`, want: told5(519, 500, 10, 0)},
	{name: "reset in the middle", stream: []string{
		sunnyChunk(`,"usage":{"prompt_tokens":26,"completion_tokens":9,"total_tokens":35}`), sunnyChunk(`,"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`),
		lastChunk(`,"usage":{"prompt_tokens":0,"completion_tokens":11,"total_tokens":11}`)}, want: told5(26, 0, 11, 0)},
	{name: "the figure again, and null behind it", stream: []string{sunnyChunk(""), lastChunk(`,"usage":{"prompt_tokens":26,"completion_tokens":9}`),
		`{"choices":[],"usage":{"prompt_tokens":26,"completion_tokens":9}}`, `{"choices":[],"usage":null}`}, want: told5(26, 0, 9, 0)},
}

// bodies are the stream of a shape and, where there is one, its completion.
func (s shape) bodies() map[string]string {
	if s.stream != nil {
		return map[string]string{"stream": streamtest.SSE(append(s.stream, streamtest.Done)...)}
	}
	members := s.beside
	if s.usage != "" {
		members += `,"usage":` + s.usage
	}
	members = strings.ReplaceAll(members, "\n", " ")
	return map[string]string{
		"stream": streamtest.SSE(sunnyChunk(""), lastChunk(""), `{"choices":[]`+members+`}`, streamtest.Done),
		"whole":  `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"` + shapeText + `"},"finish_reason":"stop"}]` + members + `}`,
	}
}

// TestUsageShapes: five right figures of every shape, in a stream and in one
// piece, over a true connection.
func TestUsageShapes(t *testing.T) {
	t.Parallel()
	for _, s := range usageShapes {
		for form, body := range s.bodies() {
			t.Run(s.name+"/"+form, func(t *testing.T) {
				t.Parallel()
				p, _ := newProvider(t, serve(t, raw(body)).URL, func(c *Config) { c.Retry.Max = 0 })
				got, err := p.Complete(t.Context(), hello(), (&watcher{}).sink)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(s.figures(p), got.Usage); diff != "" {
					t.Errorf("usage (-want +got):\n%s", diff)
				}
				checkUsage(t, got.Usage)
			})
		}
	}
}

// figures are those that are wanted, with the estimates that stand for figures.
func (s shape) figures(p *Provider) agent.Usage {
	u := s.want
	if u.InputTokens == guessedInput {
		u.InputTokens = p.CountPrompt(hello())
	}
	if u.OutputTokens == guessedOutput {
		u.OutputTokens = p.CountText(shapeText)
		if s.stream != nil {
			u.OutputTokens = p.CountText(strings.Repeat(shapeText, strings.Count(strings.Join(s.stream, ""), shapeText)))
		}
	}
	return u
}

// checkUsage checks what is true of every usage.
func checkUsage(t *testing.T, u agent.Usage) {
	t.Helper()
	if u.CachedTokens < 0 || u.CachedTokens > u.InputTokens || u.ReasoningTokens < 0 || u.ReasoningTokens > u.OutputTokens {
		t.Errorf("parts beyond their whole: %+v", u)
	}
	if u.InputTokens > mostTokens || u.OutputTokens > mostTokens {
		t.Errorf("beyond all bounds: %+v", u)
	}
}
