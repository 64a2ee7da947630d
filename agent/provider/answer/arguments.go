package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// RepairArguments takes a JSON object out of what models wrap around it: a code
// fence, a JSON string, a comma too many. Anything else is left alone: the
// tool refuses it and the model may correct itself.
func RepairArguments(args string) string {
	if IsObject(args) {
		return args
	}
	bare := strings.TrimSpace(args)
	if bare == "null" || bare == "" || bare == `""` {
		return "{}"
	}
	for _, fix := range []func(string) string{unfence, unquote, dropComma} {
		if bare = fix(bare); IsObject(bare) {
			return bare
		}
	}
	return args
}

// IsObject reports whether a text is a JSON object.
func IsObject(s string) bool {
	t := strings.TrimSpace(s)
	return strings.HasPrefix(t, "{") && json.Valid([]byte(t))
}

// endsInMiddle reports whether arguments are the beginning of a JSON value that
// lacks its end. Other mistakes are the model's own.
func endsInMiddle(args []byte) bool {
	args = bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimSpace(args), []byte("```json")), "`\r\n\t ")
	err := json.NewDecoder(bytes.NewReader(args)).Decode(new(json.RawMessage))
	return errors.Is(err, io.ErrUnexpectedEOF)
}

func unfence(s string) string {
	rest, open := strings.CutPrefix(s, "```")
	body, closed := strings.CutSuffix(strings.TrimSpace(rest), "```")
	if !open || !closed {
		return s
	}
	return strings.TrimSpace(strings.TrimLeft(body, "abcdefghijklmnopqrstuvwxyzJSON"))
}

func unquote(s string) string {
	var inner string
	if json.Unmarshal([]byte(s), &inner) != nil {
		return s
	}
	return strings.TrimSpace(inner)
}

// dropComma removes commas before closing brackets, outside strings.
func dropComma(s string) string {
	var out strings.Builder
	inString, escaped := false, false
	for i := range len(s) {
		c := s[i]
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == ',' && closes(s[i+1:]):
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

func closes(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "]")
}
