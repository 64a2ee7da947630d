// Package models reads the lists in which endpoints say what models they have.
//
// It imports nothing of this module but package wire.
package models

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/provider/wire"
)

// The bounds of a list, and of the name of a model in bytes.
const (
	maxModels = 10_000
	maxID     = 512
)

// Model is one model as an endpoint lists it. Window is its context
// window in tokens, 0 where the endpoint does not say.
type Model struct {
	ID     string
	Window int64
	// NoChat says that it makes something else than answers: embeddings, speech, pictures.
	NoChat bool
	// Vision says that it takes pictures.
	Vision bool
}

// UnmarshalJSON takes a name alone, or an object. It finds the window where
// OpenRouter, vLLM, Groq and Mistral write it, and the name where Ollama does.
func (m *Model) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &m.ID) == nil {
		m.NoChat, m.Vision = namesNoChat(m.ID), NamesSight(m.ID)
		return nil
	}
	var wire struct {
		ID            text       `json:"id"`
		Model         text       `json:"model"`
		Name          text       `json:"name"`
		ContextLength wire.Count `json:"context_length"`
		MaxModelLen   wire.Count `json:"max_model_len"`
		ContextWindow wire.Count `json:"context_window"`
		MaxContext    wire.Count `json:"max_context_length"`
		purpose
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	for _, name := range []text{wire.ID, wire.Model, wire.Name} {
		if m.ID == "" {
			m.ID = string(name)
		}
	}
	m.Window = int64(max(wire.ContextLength, wire.MaxModelLen, wire.ContextWindow, wire.MaxContext))
	m.NoChat, m.Vision = wire.noChat(m.ID), sightOf(raw, m.ID)
	return nil
}

type text string

// UnmarshalJSON never fails.
func (n *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*n = text(s)
	}
	return nil
}

// Read reads the list of an endpoint's models: {"data":[…]}, {"models":[…]}
// or the array alone. An entry that can't be read costs no other one.
func Read(body []byte) ([]Model, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")))
	var entries []json.RawMessage
	if bytes.HasPrefix(body, []byte("[")) {
		if err := json.Unmarshal(body, &entries); err != nil {
			return nil, wire.Garbled(err, body)
		}
	} else {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(body, &object); err != nil {
			return nil, wire.Garbled(err, body)
		}
		for _, key := range []string{"data", "models"} {
			if len(entries) == 0 && json.Unmarshal(object[key], &entries) != nil {
				entries = nil
			}
		}
	}
	var list []Model
	known := map[string]bool{}
	for _, raw := range entries {
		var m Model
		if json.Unmarshal(raw, &m) != nil || m.ID == "" || len(m.ID) > maxID || known[m.ID] {
			continue
		}
		known[m.ID] = true
		if list = append(list, m); len(list) == maxModels {
			break
		}
	}
	return list, nil
}

// purpose is where endpoints say what a model is for: Together and LM Studio by a
// type, Mistral by capabilities, OpenRouter by what comes out, Cohere by endpoints.
type purpose struct {
	Type         text            `json:"type"`
	Task         text            `json:"task"`
	Capabilities json.RawMessage `json:"capabilities"`
	Architecture struct {
		Output texts `json:"output_modalities"`
	} `json:"architecture"`
	Endpoints texts `json:"endpoints"`
}

type texts []string

// UnmarshalJSON never fails.
func (t *texts) UnmarshalJSON(raw []byte) error {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		*t = list
	}
	return nil
}

// otherPurposes are types and tasks of models that don't chat.
var otherPurposes = []string{
	"embedding", "embeddings", "text-embedding", "feature-extraction", "rerank", "reranker", "moderation", "image", "text-to-image", "video",
	"text-to-video", "audio", "speech", "tts", "text-to-speech", "stt", "asr", "transcribe", "transcription", "automatic-speech-recognition",
}

// noChat reports whether a model does something else. What an endpoint says of it
// counts more than its name.
func (p purpose) noChat(id string) bool {
	for _, said := range []text{p.Type, p.Task} {
		switch word := strings.ToLower(string(said)); {
		case word == "chat" || word == "llm" || word == "vlm" || word == "language":
			return false
		case slices.Contains(otherPurposes, word):
			return true
		}
	}
	var can struct {
		Chat *bool `json:"completion_chat"`
	}
	switch {
	case json.Unmarshal(p.Capabilities, &can) == nil && can.Chat != nil:
		return !*can.Chat
	case len(p.Architecture.Output) > 0:
		return !slices.Contains(p.Architecture.Output, "text")
	case len(p.Endpoints) > 0 && slices.ContainsFunc(p.Endpoints, func(e string) bool { return slices.Contains(otherPurposes, e) }):
		return !slices.Contains(p.Endpoints, "chat")
	}
	return namesNoChat(id)
}

// otherNames are words in the names of models that don't chat.
var otherNames = []string{
	"embed", "embedding", "embeddings", "rerank", "reranker", "moderation", "whisper", "tts", "asr", "stt", "transcribe", "transcription", "speech",
	"dall", "dalle", "imagen", "image", "sdxl", "flux", "diffusion", "sora", "veo", "wanx", "kolors", "cogview", "cogvideo", "cosyvoice", "paraformer",
	"sensevoice", "realtime", "bge", "gte", "babbage", "lyria",
}

func namesNoChat(id string) bool {
	words := strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(otherNames, w) })
}

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
