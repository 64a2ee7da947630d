package models

import (
	"bytes"
	"encoding/json"

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

// text is a text; anything else is none.
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
	entries, err := entriesOf(body)
	if err != nil {
		return nil, wire.Garbled(err, body)
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

func entriesOf(body []byte) (entries []json.RawMessage, err error) {
	if bytes.HasPrefix(body, []byte("[")) {
		return entries, json.Unmarshal(body, &entries)
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	for _, key := range []string{"data", "models"} {
		if json.Unmarshal(list[key], &entries) == nil && len(entries) > 0 {
			return entries, nil
		}
	}
	return nil, nil
}
