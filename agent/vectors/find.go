package vectors

import (
	"context"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/agent/ranking"
)

// How long a search waits for the vector of its question, for how long none is asked for after
// one did not come, and how much of a question is embedded, in bytes.
const (
	questionTime  = 2 * time.Second
	questionRest  = 30 * time.Second
	questionBytes = 2000
)

var errQuestionTime = errors.New("the vector of a question did not come in time")

// Find finds the passages that answer a question, the best first.
// Invalid where it has no word, Unavailable while the index is being rebuilt.
func (x *Index) Find(ctx context.Context, search agent.Search) (f agent.Finding, err error) {
	var question ranking.Vector
	m := x.current()
	if x.Model != "" && len(ranking.Question(search.Query)) > 0 {
		has, err := x.Store.HasVectors(ctx, m.ID, search.UserID)
		if err != nil {
			return f, err
		}
		if has {
			question = x.question(ctx, m, search.UserID, search.Query)
			f.WordsOnly = question == nil
		}
	}
	if question == nil {
		f.Passages, err = x.Store.FindPassages(ctx, search)
	} else {
		f.Passages, err = x.Store.FindByMeaning(ctx, search, m, question)
	}
	if err != nil {
		return agent.Finding{}, err
	}
	return f, nil
}

// question embeds one, nil where that is not possible now.
func (x *Index) question(ctx context.Context, m agent.VectorModel, userID, query string) ranking.Vector {
	x.mu.Lock()
	resting := x.Clock.Now().Before(x.restUntil)
	x.mu.Unlock()
	text := clip(query, questionBytes)
	if m.Problem != "" || resting || x.fits(ctx, userID, x.Counter.CountText(text)) != nil {
		return nil
	}
	bounded, cancel := agent.WithTimeout(ctx, x.Clock, questionTime, errQuestionTime)
	defer cancel()
	started := agent.Stamp(x.Clock)
	e, err := x.Embedder.Embed(bounded, agent.EmbeddingRequest{Model: x.Model, Texts: []string{text}, Once: true})
	if err == nil {
		if err := x.Store.KeepEmbeddingCost(context.WithoutCancel(ctx), x.call(userID, e, started)); err != nil {
			x.Log.Error("booking the vector of a question failed", "error", err)
		}
		var v ranking.Vector
		if v, err = ranking.NewVector(e.Vectors[0]); err == nil && v.Dimension() == m.Dimension {
			return v
		}
	}
	if ctx.Err() == nil {
		x.Log.Warn("a question was searched for by its words alone", "model", x.Model, "error", err)
		x.mu.Lock()
		x.restUntil = x.Clock.Now().Add(questionRest)
		x.mu.Unlock()
	}
	return nil
}

func isShort(err error) bool {
	_, short := errors.AsType[*agent.InsufficientBudget](err)
	return short
}
