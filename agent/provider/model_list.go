package provider

import (
	"bytes"
	"encoding/json"

	"fusebox/agent/provider/wire"
)

// maxModelID bounds the name of a model, in bytes.
const maxModelID = 512

// ListedModel is one model as an endpoint lists it. Window is its context
// window in tokens, 0 where the endpoint does not say.
type ListedModel struct {
	ID     string
	Window int64
	// NoChat says that it makes something else than answers: embeddings, speech, pictures.
	NoChat bool
}

// UnmarshalJSON takes a name alone, or an object. It finds the window where
// OpenRouter, vLLM, Groq and Mistral write it, and the name where Ollama does.
func (m *ListedModel) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &m.ID) == nil {
		m.NoChat = namesNoChat(m.ID)
		return nil
	}
	var wire struct {
		ID            modelName  `json:"id"`
		Model         modelName  `json:"model"`
		Name          modelName  `json:"name"`
		ContextLength wire.Count `json:"context_length"`
		MaxModelLen   wire.Count `json:"max_model_len"`
		ContextWindow wire.Count `json:"context_window"`
		MaxContext    wire.Count `json:"max_context_length"`
		modelPurpose
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	for _, name := range []modelName{wire.ID, wire.Model, wire.Name} {
		if m.ID == "" {
			m.ID = string(name)
		}
	}
	m.Window = int64(max(wire.ContextLength, wire.MaxModelLen, wire.ContextWindow, wire.MaxContext))
	m.NoChat = wire.noChat(m.ID)
	return nil
}

// modelName is a text; anything else is none.
type modelName string

// UnmarshalJSON never fails.
func (n *modelName) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*n = modelName(text)
	}
	return nil
}

// readModels reads the list of an endpoint's models: {"data":[…]}, {"models":[…]}
// or the array alone. An entry that can't be read costs no other one.
func readModels(body []byte) ([]ListedModel, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")))
	entries, err := modelEntries(body)
	if err != nil {
		return nil, wire.Garbled(err, body)
	}
	var models []ListedModel
	known := map[string]bool{}
	for _, raw := range entries {
		var m ListedModel
		if json.Unmarshal(raw, &m) != nil || m.ID == "" || len(m.ID) > maxModelID || known[m.ID] {
			continue
		}
		known[m.ID] = true
		if models = append(models, m); len(models) == maxModels {
			break
		}
	}
	return models, nil
}

func modelEntries(body []byte) (entries []json.RawMessage, err error) {
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
