package provider

import "strings"

// lines is a plain answer with other line ends.
func lines(end string) string {
	return strings.ReplaceAll(answered(textChunk("Sun"), textChunk("ny.")), "\n", end)
}

// framingFixtures: events as the standard allows them.
var framingFixtures = []fixture{
	{name: "line feeds", quirk: "line-end-lf", body: lines("\n"), want: said("Sunny.")},
	{name: "carriage returns", quirk: "line-end-cr", body: lines("\r"), want: said("Sunny.")},
	{name: "both", quirk: "line-end-crlf", body: lines("\r\n"), want: said("Sunny.")},
	{name: "one after the other", quirk: "line-end-mixed",
		body: "data: " + textChunk("Sun") + "\r\n\ndata: " + textChunk("ny") + "\r\rdata: " + textChunk(".") + "\n\r\n" + sse(finish("stop"), done), want: said("Sunny.")},
	{name: "a carriage return in a text is escaped", quirk: "line-end-cr", body: strings.ReplaceAll(answered(textChunk("a\r\nb\rc")), "\n", "\r"), want: said("a\r\nb\rc")},
	{name: "a byte order mark", quirk: "byte-order-mark", body: "\xEF\xBB\xBF" + answered(textChunk("Sunny.")), want: said("Sunny.")},
	{name: "a byte order mark and carriage returns", quirk: "byte-order-mark", body: "\xEF\xBB\xBF" + lines("\r"), want: said("Sunny.")},
	{name: "a byte order mark before JSON", quirk: "byte-order-mark", contentType: "application/json",
		body: "\xEF\xBB\xBF" + `{"choices":[{"index":0,"message":{"content":"Sunny."},"finish_reason":"stop"}]}`, want: said("Sunny.")},
	{name: "no space after the colon", quirk: "no-space-after-colon", body: strings.ReplaceAll(answered(textChunk("Sunny.")), "data: ", "data:"), want: said("Sunny.")},
	{name: "several spaces after the colon", quirk: "no-space-after-colon", body: strings.ReplaceAll(answered(textChunk("Sunny.")), "data: ", "data:   "), want: said("Sunny.")},
	{name: "a chunk over several data lines", quirk: "several-data-lines",
		body: "data: {\"choices\":[\ndata: {\"index\":0,\ndata: \"delta\":{\"content\":\"Sunny.\"}}]\ndata: }\n\n" + sse(finish("stop"), done), want: said("Sunny.")},
	{name: "a chunk on each of several data lines", quirk: "several-data-lines",
		body: "data: " + textChunk("Sun") + "\ndata: " + textChunk("ny.") + "\n\n" + sse(finish("stop"), done), want: said("Sunny.")},
	{name: "the end mark on a data line of the last chunk", quirk: "several-data-lines",
		body: sse(textChunk("Sunny.")) + "data: " + finish("stop") + "\ndata: [DONE]\n\n", want: said("Sunny.")},
	{name: "a comment", quirk: "comments", body: ": hello\n\n" + answered(textChunk("Sunny.")), want: said("Sunny.")},
	{name: "thirty comments in a row", quirk: "comments", body: strings.Repeat(": PROCESSING\n\n", 30) + answered(textChunk("Sunny.")), want: said("Sunny.")},
	{name: "comments between chunks and inside an event", quirk: "comments",
		body: "data: " + textChunk("Sun") + "\n: keep-alive\n\n:\n\n: {\"error\":\"no\"}\ndata: " + textChunk("ny.") + "\n\n" + sse(finish("stop"), done) + ":\n",
		want: said("Sunny.")},
	{name: "a comment between two data lines", quirk: "comments",
		body: "data: {\"choices\":[{\"index\":0,\n: keep-alive\ndata: \"delta\":{\"content\":\"Sunny.\"}}]}\n\n" + sse(finish("stop"), done), want: said("Sunny.")},
	{name: "data that is empty", quirk: "data-empty", body: "data:\n\ndata: \n\ndata\n\n" + answered(textChunk("Sunny.")), want: said("Sunny.")},
	{name: "data that is null", quirk: "data-null", body: "data: null\n\n" + sse(textChunk("Sunny."), "null", finish("stop"), "null", done), want: said("Sunny.")},
	{name: "names, ids and waits", quirk: "other-fields",
		body: "retry: 3000\nid: 1\nevent: message\ndata: " + textChunk("Sunny.") + "\n\nid\nevent: completion\nfoo: bar\n\n" + sse(finish("stop"), done), want: said("Sunny.")},
	{name: "a field that begins like data", quirk: "other-fields",
		body: "database: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Rainy.\"}}]}\n\n" + answered(textChunk("Sunny.")), want: said("Sunny.")},
	{name: "no last blank line", quirk: "no-last-blank-line", body: strings.TrimSuffix(answered(textChunk("Sunny.")), "\n"), want: said("Sunny.")},
	{name: "no last line end", quirk: "no-last-blank-line", body: sse(textChunk("Sunny.")) + "data: " + finish("stop"), want: said("Sunny.")},
	{name: "one line end between events", quirk: "several-data-lines",
		body: "data: " + textChunk("Sun") + "\ndata: " + textChunk("ny.") + "\ndata: " + finish("stop") + "\ndata: [DONE]\n", want: said("Sunny.")},
	{name: "a line of ten MiB", quirk: "long-line", body: answered(textChunk(longText)), want: said(longText)},
	{name: "a call of forty KiB", quirk: "long-line", tools: true, body: oneCall(quoted(`{"city":"` + strings.Repeat("Róma ", 7000) + `"}`)),
		want: asked(weather("w1", `{"city":"`+strings.Repeat("Róma ", 7000)+`"}`))},
	{name: "runes of all lengths", quirk: "runes", body: written("é 你好 🌞 a\u0301\u2028b\x00c"), want: said("é 你好 🌞 a\u0301\u2028b\x00c")},
	{name: "nothing behind the end mark counts", quirk: "behind-done", body: answered(textChunk("Sunny.")) + sse(textChunk("Rainy."), `{"error":{"message":"late"}}`), want: said("Sunny.")},
}

var longText = strings.Repeat("sunny ", 10<<20/6+1)

// errorFixtures: errors inside a stream of status 200.
var errorFixtures = []fixture{
	{name: "an object first", quirk: "error-object-in-stream",
		body: sse(`{"error":{"message":"No such model here","type":"invalid_request_error","code":"model_not_found"}}`, done), want: want{err: "(404): No such model here"}},
	{name: "an object behind text", quirk: "error-object-in-stream",
		body: sse(textChunk("Sun"), `{"error":{"message":"The machine is tired","type":"server_error"}}`, done), want: want{text: "Sun", err: "(500): The machine is tired", retryable: true}},
	{name: "an object behind a call", quirk: "error-object-in-stream", tools: true,
		body: sse(callChunk(0, "w1", "get_weather", rome), `{"error":{"message":"Slow down","code":429}}`), want: want{err: "(429): Slow down", retryable: true}},
	{name: "an object that names a billing code", quirk: "error-object-in-stream",
		body: sse(`{"error":{"message":"Nothing left","code":"insufficient_quota"}}`), want: want{err: "Nothing left"}},
	{name: "a text", quirk: "error-string-in-stream", body: sse(`{"error":"The machine is tired"}`), want: want{err: "The machine is tired", retryable: true}},
	{name: "a text behind text", quirk: "error-string-in-stream", body: sse(textChunk("Sun"), `{"error":"The machine is tired"}`, done), want: want{text: "Sun", err: "The machine is tired", retryable: true}},
	{name: "beside choices", quirk: "error-with-choices",
		body: sse(textChunk("Sun"), `{"error":{"code":502,"message":"The provider hung up"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`, done),
		want: want{text: "Sun", err: "(502): The provider hung up", retryable: true}},
	{name: "inside a choice", quirk: "error-with-choices",
		body: sse(textChunk("Sun"), `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":400,"message":"The prompt is bad"}}]}`, done),
		want: want{text: "Sun", err: "The prompt is bad"}},
	{name: "null in every chunk", quirk: "error-null",
		body: sse(`{"error":null,"choices":[{"index":0,"delta":{"content":"Sunny."}}]}`, `{"error":null,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, done), want: said("Sunny.")},
	{name: "null in a completion", quirk: "error-null", contentType: "application/json",
		body: `{"error":null,"choices":[{"index":0,"message":{"content":"Sunny."},"finish_reason":"stop"}]}`, want: said("Sunny.")},
	{name: "an event of that name", quirk: "event-error",
		body: sse(textChunk("Sun")) + "event: error\ndata: {\"error\":{\"message\":\"The machine is tired\",\"type\":\"overloaded_error\"}}\n\n", want: want{text: "Sun", err: "(529): The machine is tired", retryable: true}},
	{name: "an event of that name, its object without a wrapping", quirk: "event-error",
		body: "event: error\ndata: {\"message\":\"The prompt is bad\",\"code\":400}\n\n" + sse(done), want: want{err: "The prompt is bad"}},
	{name: "an object without a wrapping", quirk: "event-error",
		body: sse(`{"object":"error","message":"The prompt is bad","type":"BadRequestError","code":400}`, done), want: want{err: "The prompt is bad"}},
	{name: "an event that is no JSON", quirk: "data-garbled", body: sse(textChunk("Sun"), "{oops"), want: want{text: "Sun", err: "is not an answer", retryable: true}},
	{name: "a prompt that does not fit", quirk: "error-object-in-stream",
		body: sse(`{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`), want: want{err: "maximum context length"}},
}
