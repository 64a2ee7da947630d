package histories

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"fusebox/agent"
)

// maxItems bounds the messages, steps, or spans of one file.
const maxItems = 1_000_000

func firstValue(data []byte) (json.RawMessage, error) {
	var v json.RawMessage
	d := json.NewDecoder(bytes.NewReader(data))
	err := notJSON(data, d.InputOffset(), d.Decode(&v))
	return v, err
}

func values(data []byte) ([]json.RawMessage, error) {
	var all []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var v json.RawMessage
		before := d.InputOffset()
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, notJSON(data, before, err)
		}
		if all = append(all, v); len(all) > maxItems {
			return nil, agent.Errorf(agent.Invalid, "has more than %d values", maxItems)
		}
	}
}

// notJSON names the line of a mistake; before is where its value begins.
func notJSON(data []byte, before int64, err error) error {
	if err == nil {
		return nil
	}
	at := before
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at = min(syntax.Offset, int64(len(data)))
	case errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(data))
	}
	return agent.Errorf(agent.Invalid, "line %d: is not JSON: %v", 1+bytes.Count(data[:at], []byte("\n")), err)
}

// fields are the fields of a JSON object; of anything else there are none.
func fields(raw json.RawMessage) map[string]json.RawMessage {
	var f map[string]json.RawMessage
	if json.Unmarshal(raw, &f) != nil {
		return nil
	}
	return f
}

// elements are the elements of a JSON array; ok is false for anything else.
func elements(raw json.RawMessage) (all []json.RawMessage, ok bool) {
	ok = json.Unmarshal(raw, &all) == nil && all != nil
	return all, ok
}

func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // cannot fail for a string
	return raw
}
