package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// readable is a message whose result the SDK can read: a part of an answer that is of no
// kind it knows would cost the whole answer, so it is told as text.
func readable(message []byte) []byte {
	if !bytes.Contains(message, []byte(`"content"`)) {
		return message
	}
	var answer, result map[string]json.RawMessage
	if json.Unmarshal(message, &answer) != nil || json.Unmarshal(answer["result"], &result) != nil || result["content"] == nil || reads(answer["result"]) {
		return message
	}
	kept := map[string]json.RawMessage{"content": readableContent(result["content"])}
	for _, name := range []string{"isError", "structuredContent", "_meta"} {
		kept[name] = result[name]
		if result[name] == nil || !reads(encode(kept)) {
			delete(kept, name)
		}
	}
	answer["result"] = encode(kept)
	return encode(answer)
}

// reads reports whether the SDK can read the answer to a call.
func reads(result []byte) bool { return json.Unmarshal(result, new(mcp.CallToolResult)) == nil }

func encode(fields map[string]json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil // it was made of what was read
	}
	return raw
}

// readableContent tells what cannot be read of a list of parts, or of a single one.
func readableContent(content json.RawMessage) json.RawMessage {
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		parts = []json.RawMessage{content}
	}
	for i, part := range parts {
		if reads([]byte(`{"content":[` + string(part) + `]}`)) {
			continue
		}
		text, _ := json.Marshal(unknownPart(part)) // a string
		parts[i] = encode(map[string]json.RawMessage{"type": []byte(`"text"`), "text": text})
	}
	all, _ := json.Marshal(parts) // they were read
	return all
}

// unknownPart is a part of an answer in words: its text, what it is and how long, or itself.
func unknownPart(part json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(part, &fields) != nil {
		var text string
		if json.Unmarshal(part, &text) == nil {
			return text
		}
		return string(part)
	}
	field := func(name string) string {
		text, _ := fields[name].(string)
		return text
	}
	kind := field("type")
	if kind == "" {
		kind = "content"
	}
	for _, name := range []string{"data", "blob"} {
		if data := field(name); data != "" {
			return mark(kind, field("mimeType"), len(data)*3/4, field("uri")) // it is in base 64
		}
	}
	if text := field("text"); text != "" {
		return text
	}
	return string(part)
}

// readableBody is the body of an answer over HTTP, with readable messages.
func readableBody(res *http.Response) io.ReadCloser {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		return edit(res.Body, splitNothing, readable)
	case "text/event-stream":
		return edit(res.Body, splitEvents, readableLine)
	}
	return res.Body
}

// splitEvents cuts a stream of events into lines with their ends.
func splitEvents(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	return splitNothing(data, atEnd)
}

func readableLine(line []byte) []byte {
	message, isData := bytes.CutPrefix(line, []byte("data:"))
	if !isData {
		return line
	}
	message = bytes.TrimSpace(message)
	next := readable(message)
	if bytes.Equal(next, message) {
		return line
	}
	return append(append([]byte("data: "), next...), '\n')
}
