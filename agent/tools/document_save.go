package tools

import (
	"context"
	_ "embed" // the description is a file

	"fusebox/agent"
)

//go:embed document_save.md
var documentSaveText string

// Notes keep short texts as documents of people. Its errors are for the model to read.
type Notes interface {
	// SaveNote answers with the document that has the same text already, where there is one.
	SaveNote(ctx context.Context, userID, name, text string) (agent.Document, error)
}

// documentSave writes a note for the person that the run works for.
type documentSave struct{ notes Notes }

func (documentSave) Spec() agent.ToolSpec {
	s := builtin("document_save", documentSaveText, `{
		"type": "object", "additionalProperties": false, "required": ["name", "text"],
		"properties": {
			"name": {"type": "string", "minLength": 1, "maxLength": 120, "description": "What the note is called, in a few words"},
			"text": {"type": "string", "minLength": 1, "maxLength": 65536, "description": "All that it says, in Markdown"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Set, s.OwnDocuments = agent.EffectWrite, agent.RiskMedium, true, agent.DocumentTools, true
	return s
}

func (t documentSave) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Name, Text string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	d, err := t.notes.SaveNote(ctx, in.UserID, args.Name, args.Text)
	if err != nil {
		return unfound(err)
	}
	return encode(struct {
		DocumentID string `json:"documentId"`
		Name       string `json:"name"`
	}{d.ID, d.Name})
}
