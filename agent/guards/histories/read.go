package histories

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/guards"
)

// History is what one agent did in one conversation.
type History struct {
	Lines []guards.Line
}

// format is one way to write histories down.
type format struct {
	name string
	// looks reports whether the first value of a file is of this format.
	looks func(first []byte) bool
	read  func(data []byte) ([]History, error)
}

// formats are all formats, in the order in which they are tried.
var formats = []format{
	{"lines", looksLikeLines, readLines},
	{"otlp", looksLikeOTLP, readOTLP},
	{"swe-agent", looksLikeSWEAgent, readSWEAgent},
	{"langchain", looksLikeLangChain, readLangChain},
	{"openai", looksLikeOpenAI, readOpenAI},
}

// Formats are the names of all formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// CheckFormat is Invalid for a name that is neither empty nor a format.
func CheckFormat(name string) error {
	if name == "" || slices.Contains(Formats(), name) {
		return nil
	}
	return agent.Errorf(agent.Invalid, "%q is not a format; allowed: %s", name, strings.Join(Formats(), ", "))
}

// Read reads the histories in data. An empty format is recognised by what the
// data begin with. Invalid says what is wrong, and where.
func Read(data []byte, name string) ([]History, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, agent.Errorf(agent.Invalid, "is empty")
	}
	var first []byte
	if name == "" {
		v, err := firstValue(data)
		if err != nil {
			return nil, err
		}
		first = v
	}
	for _, f := range formats {
		if f.name == name || name == "" && f.looks(first) {
			return f.read(data)
		}
	}
	return nil, agent.Errorf(agent.Invalid, "is in no known format; name it with --format: %s", strings.Join(Formats(), ", "))
}

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
