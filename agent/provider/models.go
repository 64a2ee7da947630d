package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"fusebox/agent"
)

// The bounds of a list of models.
const (
	modelsTimeout = 15 * time.Second
	maxModelsBody = 4 << 20
	maxModels     = 1000
)

// listed is one model as an endpoint lists it. Where the context window stands
// differs: OpenRouter, vLLM, Groq, Mistral.
type listed struct {
	ID            string `json:"id"`
	ContextLength count  `json:"context_length"`
	MaxModelLen   count  `json:"max_model_len"`
	ContextWindow count  `json:"context_window"`
	MaxContext    count  `json:"max_context_length"`
}

func (l listed) window() int64 {
	return int64(max(l.ContextLength, l.MaxModelLen, l.ContextWindow, l.MaxContext))
}

// Models asks the endpoint which models it has, once, without retries. Its
// errors are *agent.ProviderError, or the cause of a cancelled context.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	list, err := p.list(ctx)
	var names []string
	for _, m := range list {
		names = append(names, m.ID)
	}
	return names, err
}

func (p *Provider) list(ctx context.Context) ([]listed, error) {
	tryCtx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	list, err := p.fetchModels(tryCtx)
	if err == nil {
		return list, nil
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return nil, context.Cause(ctx)
	}
	var f *failure
	if !errors.As(err, &f) {
		f = transportFailure(err)
	}
	return nil, p.giveUp(p.polish(f), 1)
}

func (p *Provider) fetchModels(ctx context.Context) ([]listed, error) {
	var res *http.Response
	if err := p.api.Get(ctx, "models", nil, &res); err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModelsBody))
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []listed `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, garbled(err, body)
	}
	var models []listed
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
