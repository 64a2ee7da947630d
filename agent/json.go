package agent

import (
	"encoding/json"
	"fmt"
)

// RawArgs returns args as JSON: as they are where they parse, else as a string.
func RawArgs(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return MustJSON(args)
}

// MustJSON encodes our own types, which always encode.
func MustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return b
}
