package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// The bounds of a list of models.
const (
	modelsTimeout = 15 * time.Second
	maxModelsBody = 4 << 20
	maxModels     = 1000
)

// Models asks the endpoint which models it has, once, without retries. Its
// errors are *agent.ProviderError, or the cause of a cancelled context.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	tryCtx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	names, err := p.models(tryCtx)
	if err == nil {
		return names, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var f *failure
	if !errors.As(err, &f) {
		f = transportFailure(err)
	}
	return nil, p.giveUp(p.polish(f), 1)
}

func (p *Provider) models(ctx context.Context) ([]string, error) {
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
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, garbled(err, body)
	}
	var names []string
	for _, m := range list.Data {
		if m.ID != "" && len(names) < maxModels {
			names = append(names, m.ID)
		}
	}
	return names, nil
}
