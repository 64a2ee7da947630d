package models

import (
	"encoding/json"
	"slices"
	"strings"
)

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

// texts is a list of texts; anything else is none.
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

// namesNoChat reports whether a model's name says that it does not chat.
func namesNoChat(id string) bool {
	words := strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(otherNames, w) })
}
