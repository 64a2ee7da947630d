package streamtest

import "strings"

// lines is a plain answer with other line ends.
func lines(end string) string {
	return strings.ReplaceAll(Answered(Text("Sun"), Text("ny.")), "\n", end)
}

// framingFixtures: events as the standard allows them.
var framingFixtures = []Fixture{
	{Name: "line feeds", Quirk: "line-end-lf", Body: lines("\n"), Want: said("Sunny.")},
	{Name: "carriage returns", Quirk: "line-end-cr", Body: lines("\r"), Want: said("Sunny.")},
	{Name: "both", Quirk: "line-end-crlf", Body: lines("\r\n"), Want: said("Sunny.")},
	{Name: "one after the other", Quirk: "line-end-mixed",
		Body: "data: " + Text("Sun") + "\r\n\ndata: " + Text("ny") + "\r\rdata: " + Text(".") + "\n\r\n" + SSE(Finish("stop"), Done), Want: said("Sunny.")},
	{Name: "a carriage return in a text is escaped", Quirk: "line-end-cr", Body: strings.ReplaceAll(Answered(Text("a\r\nb\rc")), "\n", "\r"), Want: said("a\r\nb\rc")},
	{Name: "a byte order mark", Quirk: "byte-order-mark", Body: "\xEF\xBB\xBF" + Answered(Text("Sunny.")), Want: said("Sunny.")},
	{Name: "a byte order mark and carriage returns", Quirk: "byte-order-mark", Body: "\xEF\xBB\xBF" + lines("\r"), Want: said("Sunny.")},
	{Name: "a byte order mark before JSON", Quirk: "byte-order-mark", ContentType: "application/json",
		Body: "\xEF\xBB\xBF" + `{"choices":[{"index":0,"message":{"content":"Sunny."},"finish_reason":"stop"}]}`, Want: said("Sunny.")},
	{Name: "no space after the colon", Quirk: "no-space-after-colon", Body: strings.ReplaceAll(Answered(Text("Sunny.")), "data: ", "data:"), Want: said("Sunny.")},
	{Name: "several spaces after the colon", Quirk: "no-space-after-colon", Body: strings.ReplaceAll(Answered(Text("Sunny.")), "data: ", "data:   "), Want: said("Sunny.")},
	{Name: "a chunk over several data lines", Quirk: "several-data-lines",
		Body: "data: {\"choices\":[\ndata: {\"index\":0,\ndata: \"delta\":{\"content\":\"Sunny.\"}}]\ndata: }\n\n" + SSE(Finish("stop"), Done), Want: said("Sunny.")},
	{Name: "a chunk on each of several data lines", Quirk: "several-data-lines",
		Body: "data: " + Text("Sun") + "\ndata: " + Text("ny.") + "\n\n" + SSE(Finish("stop"), Done), Want: said("Sunny.")},
	{Name: "the end mark on a data line of the last chunk", Quirk: "several-data-lines",
		Body: SSE(Text("Sunny.")) + "data: " + Finish("stop") + "\ndata: [DONE]\n\n", Want: said("Sunny.")},
	{Name: "a comment", Quirk: "comments", Body: ": hello\n\n" + Answered(Text("Sunny.")), Want: said("Sunny.")},
	{Name: "thirty comments in a row", Quirk: "comments", Body: strings.Repeat(": PROCESSING\n\n", 30) + Answered(Text("Sunny.")), Want: said("Sunny.")},
	{Name: "comments between chunks and inside an event", Quirk: "comments",
		Body: "data: " + Text("Sun") + "\n: keep-alive\n\n:\n\n: {\"error\":\"no\"}\ndata: " + Text("ny.") + "\n\n" + SSE(Finish("stop"), Done) + ":\n",
		Want: said("Sunny.")},
	{Name: "a comment between two data lines", Quirk: "comments",
		Body: "data: {\"choices\":[{\"index\":0,\n: keep-alive\ndata: \"delta\":{\"content\":\"Sunny.\"}}]}\n\n" + SSE(Finish("stop"), Done), Want: said("Sunny.")},
	{Name: "data that is empty", Quirk: "data-empty", Body: "data:\n\ndata: \n\ndata\n\n" + Answered(Text("Sunny.")), Want: said("Sunny.")},
	{Name: "data that is null", Quirk: "data-null", Body: "data: null\n\n" + SSE(Text("Sunny."), "null", Finish("stop"), "null", Done), Want: said("Sunny.")},
	{Name: "names, ids and waits", Quirk: "other-fields",
		Body: "retry: 3000\nid: 1\nevent: message\ndata: " + Text("Sunny.") + "\n\nid\nevent: completion\nfoo: bar\n\n" + SSE(Finish("stop"), Done), Want: said("Sunny.")},
	{Name: "a field that begins like data", Quirk: "other-fields",
		Body: "database: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Rainy.\"}}]}\n\n" + Answered(Text("Sunny.")), Want: said("Sunny.")},
	{Name: "no last blank line", Quirk: "no-last-blank-line", Body: strings.TrimSuffix(Answered(Text("Sunny.")), "\n"), Want: said("Sunny.")},
	{Name: "no last line end", Quirk: "no-last-blank-line", Body: SSE(Text("Sunny.")) + "data: " + Finish("stop"), Want: said("Sunny.")},
	{Name: "one line end between events", Quirk: "several-data-lines",
		Body: "data: " + Text("Sun") + "\ndata: " + Text("ny.") + "\ndata: " + Finish("stop") + "\ndata: [DONE]\n", Want: said("Sunny.")},
	{Name: "a line of ten MiB", Quirk: "long-line", Body: Answered(Text(longText)), Want: said(longText)},
	{Name: "a call of forty KiB", Quirk: "long-line", Tools: true, Body: oneCall(Quoted(`{"city":"` + strings.Repeat("Róma ", 7000) + `"}`)),
		Want: asked(weather("w1", `{"city":"`+strings.Repeat("Róma ", 7000)+`"}`))},
	{Name: "runes of all lengths", Quirk: "runes", Body: written("é 你好 🌞 a\u0301\u2028b\x00c"), Want: said("é 你好 🌞 a\u0301\u2028b\x00c")},
	{Name: "nothing behind the end mark counts", Quirk: "behind-done", Body: Answered(Text("Sunny.")) + SSE(Text("Rainy."), `{"error":{"message":"late"}}`), Want: said("Sunny.")},
}

var longText = strings.Repeat("sunny ", 10<<20/6+1)

// errorFixtures: errors inside a stream of status 200.
var errorFixtures = []Fixture{
	{Name: "an object first", Quirk: "error-object-in-stream",
		Body: SSE(`{"error":{"message":"No such model here","type":"invalid_request_error","code":"model_not_found"}}`, Done), Want: Want{Err: "(404): No such model here"}},
	{Name: "an object behind text", Quirk: "error-object-in-stream",
		Body: SSE(Text("Sun"), `{"error":{"message":"The machine is tired","type":"server_error"}}`, Done), Want: Want{Text: "Sun", Err: "(500): The machine is tired", Retryable: true}},
	{Name: "an object behind a call", Quirk: "error-object-in-stream", Tools: true,
		Body: SSE(Call(0, "w1", "get_weather", Rome), `{"error":{"message":"Slow down","code":429}}`), Want: Want{Err: "(429): Slow down", Retryable: true}},
	{Name: "an object that names a billing code", Quirk: "error-object-in-stream",
		Body: SSE(`{"error":{"message":"Nothing left","code":"insufficient_quota"}}`), Want: Want{Err: "Nothing left"}},
	{Name: "a text", Quirk: "error-string-in-stream", Body: SSE(`{"error":"The machine is tired"}`), Want: Want{Err: "The machine is tired", Retryable: true}},
	{Name: "a text behind text", Quirk: "error-string-in-stream", Body: SSE(Text("Sun"), `{"error":"The machine is tired"}`, Done), Want: Want{Text: "Sun", Err: "The machine is tired", Retryable: true}},
	{Name: "beside choices", Quirk: "error-with-choices",
		Body: SSE(Text("Sun"), `{"error":{"code":502,"message":"The provider hung up"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`, Done),
		Want: Want{Text: "Sun", Err: "(502): The provider hung up", Retryable: true}},
	{Name: "inside a choice", Quirk: "error-with-choices",
		Body: SSE(Text("Sun"), `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":400,"message":"The prompt is bad"}}]}`, Done),
		Want: Want{Text: "Sun", Err: "The prompt is bad"}},
	{Name: "null in every chunk", Quirk: "error-null",
		Body: SSE(`{"error":null,"choices":[{"index":0,"delta":{"content":"Sunny."}}]}`, `{"error":null,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, Done), Want: said("Sunny.")},
	{Name: "null in a completion", Quirk: "error-null", ContentType: "application/json",
		Body: `{"error":null,"choices":[{"index":0,"message":{"content":"Sunny."},"finish_reason":"stop"}]}`, Want: said("Sunny.")},
	{Name: "an event of that name", Quirk: "event-error",
		Body: SSE(Text("Sun")) + "event: error\ndata: {\"error\":{\"message\":\"The machine is tired\",\"type\":\"overloaded_error\"}}\n\n", Want: Want{Text: "Sun", Err: "(529): The machine is tired", Retryable: true}},
	{Name: "an event of that name, its object without a wrapping", Quirk: "event-error",
		Body: "event: error\ndata: {\"message\":\"The prompt is bad\",\"code\":400}\n\n" + SSE(Done), Want: Want{Err: "The prompt is bad"}},
	{Name: "an object without a wrapping", Quirk: "event-error",
		Body: SSE(`{"object":"error","message":"The prompt is bad","type":"BadRequestError","code":400}`, Done), Want: Want{Err: "The prompt is bad"}},
	{Name: "an event that is no JSON", Quirk: "data-garbled", Body: SSE(Text("Sun"), "{oops"), Want: Want{Text: "Sun", Err: "is not an answer", Retryable: true}},
	{Name: "a prompt that does not fit", Quirk: "error-object-in-stream",
		Body: SSE(`{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`), Want: Want{Err: "maximum context length"}},
}
