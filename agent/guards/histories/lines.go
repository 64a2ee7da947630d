package histories

import (
	"bytes"
	"encoding/json"

	"fusebox/agent/guards"
)

// looksLikeLines: the lines of fusebox guards explain.
func looksLikeLines(first []byte) bool {
	f := fields(first)
	for _, key := range []string{"tool", "text", "turn", "reset"} {
		if f[key] != nil && f["type"] == nil && f["role"] == nil {
			return true
		}
	}
	var message string
	return f["message"] != nil && json.Unmarshal(f["message"], &message) == nil
}

func readLines(data []byte) ([]History, error) {
	lines, err := guards.ReadHistory(bytes.NewReader(data))
	return []History{{Lines: lines}}, err
}
