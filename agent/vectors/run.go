package vectors

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/ranking"
)

// The bounds of a call: its texts, their tokens, and the bytes of each.
const (
	maxTexts     = 32
	maxTokens    = 8000
	maxTextBytes = 6000
)

// How long the queue waits before it looks again: without being woken, and after a failure,
// twice as long with each. After so many failures in a row, of which each has had its retries, or
// so many passages that the model refuses, it stops.
const (
	idle        = 30 * time.Second
	firstPause  = time.Minute
	maxFailures = 5
	maxRefused  = 3
)

// Run embeds passages until ctx ends. Vectors of earlier models go first.
func (x *Index) Run(ctx context.Context) {
	if x.current().ID == 0 { // no model, and never was one
		return
	}
	for dropped := false; ; {
		pause := idle
		switch {
		case !dropped:
			more, err := x.Store.DropOldVectors(ctx, x.current().ID)
			if err == nil && (more || x.Model != "") {
				pause = 0
			}
			if dropped = err == nil && !more; dropped && x.Model == "" {
				return
			}
			x.logFault(ctx, err)
		case x.current().Problem == "":
			pause = x.round(ctx)
		}
		if pause == 0 && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-x.wake:
		case <-x.Clock.After(pause):
		}
	}
}

func (x *Index) logFault(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		x.Log.Error("embedding documents failed", "error", err)
	}
}

// round has a call made for each person who has passages to embed. It returns how long to wait
// before the next one, nothing where there may be more to do.
func (x *Index) round(ctx context.Context) time.Duration {
	seen, pause := map[int64]bool{}, idle
	for after := int64(0); ; {
		scope, userID, passages, err := x.Store.VectorQueue(ctx, after, x.texts)
		if err == nil && (len(passages) == 0 || seen[scope]) {
			return pause
		}
		if err == nil {
			seen[scope], after = true, scope
			if x.waits(userID) {
				continue
			}
			err = x.embed(ctx, userID, x.bounded(passages))
		}
		switch {
		case ctx.Err() != nil:
			return idle
		case err == nil:
			pause = 0
		case isShort(err) || agent.CodeOf(err) == agent.NotFound: // of this person alone
		default:
			return x.failed(ctx, err)
		}
	}
}

// bounded are the first passages, as many as one call takes, with texts of bounded length.
func (x *Index) bounded(passages []agent.VectorPassage) []agent.VectorPassage {
	var tokens int64
	for i := range passages {
		passages[i].Text = clip(passages[i].Text, maxTextBytes)
		if tokens += x.Counter.CountText(passages[i].Text); i > 0 && tokens > maxTokens {
			return passages[:i]
		}
	}
	return passages
}

// clip cuts a text to so many bytes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// errStopped is a failure after which asking again is vain.
type errStopped struct{ message string }

func (e errStopped) Error() string { return e.message }

// embed embeds passages of a person, after the model was measured.
func (x *Index) embed(ctx context.Context, userID string, passages []agent.VectorPassage) error {
	if x.current().Dimension == 0 {
		if err := x.measure(ctx, userID); err != nil {
			return err
		}
	}
	var texts []string
	for _, p := range passages {
		texts = append(texts, p.Text)
	}
	vectors, call, err := x.ask(ctx, userID, texts)
	kept := map[int64]ranking.Vector{}
	switch {
	case isRefusal(err) && len(texts) > 1: // one of them may be what it does not take
		x.texts = 1
		return nil
	case isRefusal(err) && x.refused+1 < maxRefused:
		x.refused++
		x.Log.Warn("a passage is not embedded", "model", x.Model, "error", err)
		kept[passages[0].ID] = nil
	case err != nil:
		return err
	default:
		x.refused, x.texts = 0, min(2*x.texts, maxTexts)
		for i, v := range vectors {
			kept[passages[i].ID] = v
		}
	}
	m := x.current()
	for _, v := range vectors {
		if v.Dimension() != m.Dimension {
			return errors.Join(x.Store.KeepEmbeddingCost(ctx, call), errStopped{"The model server sends vectors of another length than before."})
		}
	}
	return x.Store.KeepVectors(ctx, m.ID, kept, call)
}

// ask embeds texts where the budgets of a person have room for it.
func (x *Index) ask(ctx context.Context, userID string, texts []string) ([]ranking.Vector, agent.Step, error) {
	var tokens int64
	for _, text := range texts {
		tokens += x.Counter.CountText(text)
	}
	started := agent.Stamp(x.Clock)
	if err := x.fits(ctx, userID, tokens); err != nil {
		return nil, agent.Step{}, err
	}
	e, err := x.Embedder.Embed(ctx, agent.EmbeddingRequest{Model: x.Model, Texts: texts})
	if err != nil {
		return nil, agent.Step{UserID: userID, StartedAt: started}, err
	}
	vectors := make([]ranking.Vector, len(e.Vectors))
	for i, parts := range e.Vectors {
		if vectors[i], err = ranking.NewVector(parts); err != nil {
			return nil, agent.Step{}, err
		}
	}
	return vectors, x.call(userID, e, started), nil
}

// isRefusal reports whether a model does not take a text, and not whether it is out of order.
func isRefusal(err error) bool {
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || failed.Retryable {
		return false
	}
	switch failed.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return failed.TooLong
}

// failed notes a failure, and returns how long to wait after it.
func (x *Index) failed(ctx context.Context, err error) time.Duration {
	most, message := maxFailures, ""
	var failed *agent.ProviderError
	var stopped errStopped
	switch {
	case errors.As(err, &failed):
		if message = failed.Message; !failed.Retryable {
			most = 1
		}
	case errors.As(err, &stopped):
		most, message = 1, stopped.message
	default:
		x.logFault(ctx, err)
		return idle
	}
	x.refused = 0
	m := x.current()
	n, noteErr := x.Store.NoteVectorFailure(ctx, m.ID, message, most)
	x.logFault(ctx, noteErr)
	x.Log.Warn("embedding documents failed", "model", x.Model, "failures", n, "stopped", n >= most, "error", err)
	if n >= most {
		x.change(func(m *agent.VectorModel) { m.Problem = message })
		return idle
	}
	return firstPause << max(0, n-1)
}
