package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

// The bounds of a list of models.
const (
	modelsTimeout = 15 * time.Second
	maxModelsBody = 4 << 20
	maxModels     = 1000
)

// ListedModel is one model as an endpoint lists it. Window is its context
// window in tokens, 0 where the endpoint does not say.
type ListedModel struct {
	ID     string
	Window int64
}

// UnmarshalJSON finds the window where OpenRouter, vLLM, Groq and Mistral write it.
func (m *ListedModel) UnmarshalJSON(raw []byte) error {
	var wire struct {
		ID            string     `json:"id"`
		ContextLength wire.Count `json:"context_length"`
		MaxModelLen   wire.Count `json:"max_model_len"`
		ContextWindow wire.Count `json:"context_window"`
		MaxContext    wire.Count `json:"max_context_length"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	m.ID, m.Window = wire.ID, int64(max(wire.ContextLength, wire.MaxModelLen, wire.ContextWindow, wire.MaxContext))
	return nil
}

// Models asks the endpoint which models it has, once, without retries. Its
// errors are *agent.ProviderError, or the cause of a cancelled context.
func (p *Provider) Models(ctx context.Context) ([]ListedModel, error) {
	tryCtx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	list, err := p.fetchModels(tryCtx)
	if err == nil {
		return list, nil
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return nil, context.Cause(ctx)
	}
	var f *wire.Failure
	if !errors.As(err, &f) {
		f = transportFailure(err)
	}
	return nil, p.giveUp(p.secrets.Polish(f), 1)
}

func (p *Provider) fetchModels(ctx context.Context) ([]ListedModel, error) {
	var res *http.Response
	if err := p.get(ctx, "models", nil, &res); err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModelsBody))
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []ListedModel `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, wire.Garbled(err, body)
	}
	var models []ListedModel
	for _, m := range list.Data {
		if m.ID != "" && len(models) < maxModels {
			models = append(models, m)
		}
	}
	return models, nil
}

// messageOf is the sentence for people of an error of this package.
func messageOf(err error) string {
	var failed *agent.ProviderError
	if errors.As(err, &failed) {
		return failed.Message
	}
	return "did not answer in time"
}
