package models

import (
	"encoding/json"
	"slices"
	"strings"
)

// sight is where endpoints say that a model takes pictures: OpenRouter by what goes in,
// Mistral and Ollama by capabilities, LM Studio by a type, Kimi by a key of its own.
type sight struct {
	Input        texts           `json:"input_modalities"`
	ImageIn      *bool           `json:"supports_image_in"`
	Vision       *bool           `json:"supports_vision"`
	Capabilities json.RawMessage `json:"capabilities"`
	Type         text            `json:"type"`
	Architecture struct {
		Input texts `json:"input_modalities"`
	} `json:"architecture"`
}

// sightOf reports whether a model sees, by its entry. What an endpoint says of it counts
// more than its name.
func sightOf(raw []byte, id string) bool {
	var s sight
	if json.Unmarshal(raw, &s) != nil {
		return NamesSight(id)
	}
	for _, said := range []*bool{s.ImageIn, s.Vision} {
		if said != nil {
			return *said
		}
	}
	for _, input := range []texts{s.Architecture.Input, s.Input} {
		if len(input) > 0 {
			return slices.Contains(input, "image")
		}
	}
	var can struct {
		Vision *bool `json:"vision"`
	}
	var list texts
	switch {
	case json.Unmarshal(s.Capabilities, &can) == nil && can.Vision != nil:
		return *can.Vision
	case json.Unmarshal(s.Capabilities, &list) == nil && len(list) > 0:
		return slices.Contains(list, "vision")
	case strings.EqualFold(string(s.Type), "vlm"):
		return true
	}
	return NamesSight(id)
}

// seeing are the beginnings of the names of families whose models see, and seeingWords are
// words in the names of others that do. blindWords are those of their models that do not.
var (
	seeing = []string{
		"gpt-4o", "gpt-4.1", "gpt-4-turbo", "gpt-5", "chatgpt-4o", "o3", "o4-mini", "claude-3", "claude-opus", "claude-sonnet", "claude-haiku", "gemini-",
		"gemma-3", "gemma3", "llama-4", "llama4", "pixtral", "mistral-medium-3", "mistral-small-3", "grok-4", "qvq", "kimi-k2.5", "kimi-latest", "nova-lite", "nova-pro", "minicpm-v", "step-1v", "molmo",
	}
	seeingWords = []string{"vl", "qwenvl", "vision", "vlm", "llava", "omni", "internvl", "moondream", "multimodal", "4v", "4.5v", "4.6v"}
	blindWords  = []string{"o3-mini", "audio", "codex-mini", "gemma-3-1b", "gemma3:1b", "gemma-3-270m", "gemma3:270m", "claude-3-5-haiku"}
)

// NamesSight reports whether a model's name says that it sees.
func NamesSight(id string) bool {
	id = strings.ToLower(id[strings.LastIndexByte(id, '/')+1:])
	if slices.ContainsFunc(blindWords, func(w string) bool { return strings.Contains(id, w) }) {
		return false
	}
	words := strings.FieldsFunc(id, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' })
	return slices.ContainsFunc(seeing, func(start string) bool { return strings.HasPrefix(id, start) }) ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(seeingWords, w) })
}
