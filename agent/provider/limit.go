package provider

import (
	"context"
	"net/http"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"fusebox/agent/provider/wire"
)

// The names of the limit of an answer. The old one is known nearly everywhere;
// some models refuse it and want the new one.
const (
	oldLimitName = "max_tokens"
	newLimitName = "max_completion_tokens"
)

var limitNames = []string{oldLimitName, newLimitName}

// limit is the most output that the request names, 0 for any.
func (o *outgoing) limit() int64 {
	limit := o.req.MaxTokens
	for _, name := range limitNames {
		if own, ok := o.extra[name]; ok {
			limit = lower(own, limit)
		}
	}
	return max(limit, 0)
}

// bound writes how much output there may be, under one name. A limit among the
// configured keys of a model applies if it is the lower one: budgets rest on
// what is asked for here.
func (o *outgoing) bound(params *openai.ChatCompletionNewParams, extra map[string]any) {
	limit := o.req.MaxTokens
	if limit <= 0 {
		return
	}
	configured := false
	for _, name := range limitNames {
		if own, ok := extra[name]; ok {
			extra[name], configured = lower(own, limit), true
		}
	}
	switch {
	case configured, o.newLimit && !o.has(newLimitName):
	case o.newLimit:
		params.MaxCompletionTokens = param.NewOpt(limit)
	default:
		params.MaxTokens = param.NewOpt(limit)
	}
}

// lower is a configured limit where it is the lower one. What is not a number, and
// the numbers that mean no limit, give way.
func lower(own any, limit int64) int64 {
	var n int64
	switch v := own.(type) {
	case int:
		n = int64(v)
	case int64:
		n = v
	case float64:
		n = int64(v)
	}
	if n <= 0 || limit > 0 && limit < n {
		return limit
	}
	return n
}

// How an answer is fitted into a window: the least room that is worth a request, what
// may be missing in a count, by how many percent endpoints count prompts higher than we
// do, and the bounds of what a refusal can teach about that.
const (
	minRoom      = 256
	roomMargin   = 64
	usualPercent = 110
	leastPercent = 50
	mostPercent  = 300
)

// maxLessened bounds how often one call is asked for less output.
const maxLessened = 3

// share is what refusals of a model have taught about prompt and output: the window for
// both, the most output, and how much of our count of a prompt is theirs, in percent.
// 0 is not known.
type share struct{ window, output, percent int64 }

// prompt is the length of a prompt by the endpoint's count, given our estimate.
func (s share) prompt(estimate int64) int64 {
	percent := s.percent
	if percent == 0 {
		percent = usualPercent
	}
	return estimate*percent/100 + roomMargin
}

type shares struct {
	mu     sync.Mutex
	models map[string]share
}

func (l *shares) of(model string) share {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.models[model]
}

func (l *shares) keep(model string, s share) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.models == nil || len(l.models) >= maxCapabilities {
		l.models = make(map[string]share)
	}
	l.models[model] = s
}

// fitting is the output to ask for: no more than refusals have left room for.
func (p *Provider) fitting(q question) int64 {
	most, s := q.req.MaxTokens, p.shares.of(q.req.Model)
	if s.output > 0 {
		most = lower(s.output, most)
	}
	switch {
	case q.room > 0:
		most = lower(q.room, most)
	case s.window > 0:
		most = lower(max(s.window-s.prompt(p.CountPrompt(q.req)), minRoom), most)
	}
	return most
}

// askForLess reads of a refusal how much output there is room for, and remembers it for
// the model. It is false where less output would not help: then the prompt is too long.
func (p *Provider) askForLess(ctx context.Context, q *question, f *wire.Failure) bool {
	switch f.Status {
	case 0, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
	default:
		return false
	}
	asked := p.outgoing(*q).limit()
	said, known := f.API.Share(asked), p.shares.of(q.req.Model)
	room := said.Output
	if said.Window > 0 {
		known.window = said.Window
		room = said.Window - p.promptOf(*q, said, asked, &known)
	} else {
		known.output = said.Output
	}
	if room <= 0 || said.Window > 0 && room < minRoom || asked > 0 && room >= asked || q.lessened == maxLessened {
		return false
	}
	q.room = room
	q.lessened++
	p.shares.keep(q.req.Model, known)
	p.log.InfoContext(ctx, "asking for less output after a refusal", "model", q.req.Model, "asked", asked, "room", room, "error", f)
	return true
}

// promptOf is how much of a window the prompt takes: as the refusal says, which teaches
// how the endpoint counts, else as we estimate it where we have asked for output.
func (p *Provider) promptOf(q question, said wire.Share, asked int64, s *share) int64 {
	estimate := p.CountPrompt(q.req)
	switch {
	case said.Prompt > 0:
		s.percent = min(max(said.Prompt*100/max(estimate, 1)+1, leastPercent), mostPercent)
		return said.Prompt + roomMargin
	case asked > 0:
		return s.prompt(estimate)
	default:
		return said.Window
	}
}
