package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/models"
	"fusebox/agent/provider/wire"
)

// The bounds of a list of models.
const (
	modelsTimeout = 15 * time.Second
	maxModelsBody = 16 << 20
)

// Models asks the endpoint which models it has, once, without retries. Its
// errors are *agent.ProviderError, or the cause of a cancelled context.
func (p *Provider) Models(ctx context.Context) ([]models.Model, error) {
	tryCtx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	list, err := p.fetchModels(tryCtx)
	if err == nil {
		p.noteSight(list)
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

func (p *Provider) fetchModels(ctx context.Context) ([]models.Model, error) {
	var res *http.Response
	if err := p.get(ctx, "models", nil, &res); err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModelsBody))
	if err != nil {
		return nil, err
	}
	return models.Read(body)
}

// messageOf is the sentence for people of an error of this package.
func messageOf(err error) string {
	var failed *agent.ProviderError
	if errors.As(err, &failed) {
		return failed.Message
	}
	return "did not answer in time"
}
