package tools

import (
	"context"
	_ "embed" // the descriptions are files
	"time"

	"fusebox/agent"
)

var (
	//go:embed remember.md
	rememberText string
	//go:embed recall.md
	recallText string
)

// Memory is what is remembered about people. Its errors are for the model to read.
type Memory interface {
	// Remember answers fresh = false where the fact is known.
	Remember(ctx context.Context, userID, conversationID, text string) (fresh bool, err error)
	// Recall is what fits the query, the best first, and the rest, newest first.
	Recall(ctx context.Context, userID, query string) (found, others []agent.Fact, err error)
}

// maxRecalled is how many facts one call brings, maxRecalledText how much text in bytes.
const (
	maxRecalled     = 10
	maxRecalledText = 8 << 10
)

// remember keeps one fact of the person that the run works for.
type remember struct{ memory Memory }

func (remember) Spec() agent.ToolSpec {
	s := builtin("remember", rememberText, `{
		"type": "object", "additionalProperties": false, "required": ["text"],
		"properties": {"text": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "The fact, in one sentence"}}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Set, s.OwnMemory = agent.EffectWrite, agent.RiskLow, true, agent.MemoryTools, true
	return s
}

func (t remember) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Text string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	fresh, err := t.memory.Remember(ctx, in.UserID, in.ConversationID, args.Text)
	switch {
	case err != nil:
		return unremembered(err)
	case !fresh:
		return encode(map[string]string{"result": "known already"})
	default:
		return encode(map[string]string{"result": "remembered"})
	}
}

type recall struct{ memory Memory }

func (recall) Spec() agent.ToolSpec {
	s := builtin("recall", recallText, `{
		"type": "object", "additionalProperties": false, "required": ["query"],
		"properties": {"query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "What to look for, in a few words"}}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Set = agent.EffectRead, agent.RiskLow, true, agent.MemoryTools
	return s
}

type recalled struct {
	Text  string `json:"text"`
	Since string `json:"since"`
}

func (t recall) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Query string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	found, others, err := t.memory.Recall(ctx, in.UserID, args.Query)
	if err != nil {
		return unremembered(err)
	}
	facts, bytes := maxRecalled, maxRecalledText // that still fit
	take := func(from []agent.Fact) []recalled {
		said := []recalled{}
		for _, f := range from {
			if facts == 0 || len(f.Text) > bytes {
				break
			}
			facts--
			bytes -= len(f.Text)
			since := f.CreatedAt
			if !f.ChangedAt.IsZero() {
				since = f.ChangedAt
			}
			said = append(said, recalled{f.Text, since.UTC().Format(time.DateOnly)})
		}
		return said
	}
	said := map[string]any{"matches": take(found), "others": take(others)}
	if left := len(found) + len(others) - (maxRecalled - facts); left > 0 {
		said["more"] = left
	}
	return encode(said)
}

func unremembered(err error) agent.ToolResult {
	kind := agent.ErrExecution
	if agent.CodeOf(err) == agent.Forbidden {
		kind = agent.ErrPermission
	}
	return failed(kind, "%s", agent.MessageOf(err))
}
