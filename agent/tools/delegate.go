package tools

import (
	"context"
	_ "embed" // the descriptions are files
	"strings"

	"fusebox/agent"
	"fusebox/agent/sources"
)

//go:embed delegate.md
var delegateText string

//go:embed read_result.md
var readResultText string

// delegate is never executed here: the loop makes a child run of each call.
type delegate struct{}

func (delegate) Spec() agent.ToolSpec {
	s := builtin(agent.DelegateTool, delegateText, `{
		"type": "object", "additionalProperties": false, "required": ["task"],
		"properties": {
			"agent": {"type": "string", "minLength": 1, "maxLength": 40, "description": "The agent's name"},
			"workflow": {"type": "string", "minLength": 1, "maxLength": 40, "description": "In the place of agent: a workflow's name"},
			"task": {"type": "string", "minLength": 1, "maxLength": 20000, "description": "What it is to do and to hand back, with all it has to know"},
			"inputs": {"type": "object", "description": "Values that it works with, by name"},
			"outputs": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Values that it has to hand back, by name, each with its type: string, number, integer, boolean, object, array"}
		}
	}`)
	s.Effect, s.Risk, s.Volatile = agent.EffectRead, agent.RiskLow, []string{"runId", "tookMs"}
	return s
}

func (delegate) Run(context.Context, agent.ToolInput) agent.ToolResult {
	return failed(agent.ErrExecution, "An agent does this; nothing is executed.")
}

// resultPart is how many bytes of an answer one call reads.
const resultPart = 8 << 10

// readResult reads the answer of a run of the same tree by part.
type readResult struct{ inline int }

func (readResult) Spec() agent.ToolSpec {
	s := builtin(agent.ReadResultTool, readResultText, `{
		"type": "object", "additionalProperties": false, "required": ["runId"],
		"properties": {
			"runId": {"type": "string", "minLength": 1, "maxLength": 64, "description": "As the result of delegate names it"},
			"part": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "Which part, 1 if left out"},
			"value": {"type": "string", "maxLength": 64, "description": "An output of the agent to read in the place of its answer"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent = agent.EffectRead, agent.RiskLow, true
	return s
}

func (t readResult) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	args := struct {
		RunID string `json:"runId"`
		Part  int    `json:"part"`
		Value string `json:"value"`
	}{Part: 1}
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	if in.Result == nil {
		return failed(agent.ErrExecution, "There are no other agents here.")
	}
	answer, err := in.Result(ctx, args.RunID, args.Value)
	if err != nil {
		return failed(agent.ErrInvalidParams, "%s", agent.MessageOf(err))
	}
	size := min(resultPart, max(t.inline/2, 512))
	parts := cutEvery(answer.Text, size)
	if args.Part > len(parts) {
		return failed(agent.ErrInvalidParams, "part: there are %d.", len(parts))
	}
	text := parts[args.Part-1]
	return encode(struct {
		RunID     string               `json:"runId"`
		Agent     string               `json:"agent,omitempty"`
		Untrusted bool                 `json:"untrusted,omitempty"`
		Part      int                  `json:"part"`
		Of        int                  `json:"of"`
		Sources   []agent.HandedSource `json:"sources,omitempty"`
		Text      string               `json:"text"`
	}{args.RunID, answer.Agent, answer.Untrusted, args.Part, len(parts), sources.HandedWith(text, answer.Citations, size/2), text}, sources.DocumentsOf(answer.Citations)...)
}

// cutEvery cuts a text between characters into parts of at most size bytes, at least one.
func cutEvery(text string, size int) []string {
	var parts []string
	for len(text) > size {
		n := size
		for n > 0 && text[n]&0xC0 == 0x80 {
			n--
		}
		if at := strings.LastIndexByte(text[:n], '['); at > max(n-sources.MaxIDMark, 0) && !strings.Contains(text[at:n], "]") {
			n = at // a mark is in one piece
		}
		if n == 0 { // it is not UTF-8
			n = size
		}
		parts = append(parts, text[:n])
		text = text[n:]
	}
	return append(parts, text)
}
