package tools

import (
	"context"
	_ "embed" // the descriptions are files
	"fmt"
	"strings"

	"fusebox/agent"
	"fusebox/agent/sources"
)

var (
	//go:embed knowledge_search.md
	knowledgeSearchText string
	//go:embed document_list.md
	documentListText string
)

// Documents are those that are open to people. Its errors are for the model to read.
type Documents interface {
	// Find answers Invalid for a query without a word, Unavailable while nothing can be found.
	Find(ctx context.Context, search agent.Search) (agent.Finding, error)
	// Documents lists them, the newest first.
	Documents(ctx context.Context, f agent.DocumentFilter, p agent.Page) ([]agent.Document, string, error)
	CountDocuments(ctx context.Context, userID string, in agent.CollectionChoice) (agent.DocumentCounts, error)
	// Document is a version of a document, the newest for 0, DocumentText its text and sections.
	Document(ctx context.Context, userID, id string, version int) (agent.Document, error)
	DocumentText(ctx context.Context, userID, id string, version int) (string, []agent.Section, error)
	// CallDocuments are the documents that the calls of a conversation have read.
	CallDocuments(ctx context.Context, conversationID string) ([]agent.CallDocument, error)
	// PassagesOf are those of a version in the order of its text, without their texts.
	PassagesOf(ctx context.Context, userID, id string, version int) ([]agent.Found, error)
}

// usualPassages is how many passages a search brings where the model does not say.
const usualPassages = 3

// knowledgeSearch finds passages in the documents of the person that the run works for.
type knowledgeSearch struct{ documents Documents }

func (knowledgeSearch) Spec() agent.ToolSpec {
	s := builtin(sources.KnowledgeTool, knowledgeSearchText, `{
		"type": "object", "additionalProperties": false, "required": ["query"],
		"properties": {
			"query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "What to look for: words, names, or a question, in the language of the documents"},
			"top_k": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How many passages, 3 by default"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Set = agent.EffectRead, agent.RiskLow, true, agent.DocumentTools
	return s
}

type foundPassage struct {
	ID         string `json:"id"`
	DocumentID string `json:"documentId"`
	Name       string `json:"name"`
	Place      string `json:"place,omitempty"`
	Text       string `json:"text"`
	// More is how many other passages say nearly the same.
	More int `json:"more,omitempty"`
}

func (t knowledgeSearch) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct {
		Query string
		TopK  int `json:"top_k"`
	}
	args.TopK = usualPassages
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	found, unready := t.documents.Find(ctx, agent.Search{UserID: in.UserID, In: in.Collections, Query: args.Query, Limit: args.TopK})
	if unready != nil && agent.CodeOf(unready) != agent.Unavailable {
		return unfound(unready)
	}
	n, err := t.documents.CountDocuments(ctx, in.UserID, in.Collections)
	if err != nil {
		return unfound(err)
	}
	said := struct {
		Passages []foundPassage `json:"passages"`
		// Documents is how many were searched, Reading how many are not read yet.
		Documents int    `json:"documents"`
		Reading   int    `json:"reading,omitempty"`
		Note      string `json:"note,omitempty"`
	}{Passages: []foundPassage{}, Documents: n.Searched, Reading: n.Reading}
	var read []string
	for _, f := range found.Passages {
		read = append(read, f.DocumentID)
		said.Passages = append(said.Passages, foundPassage{f.PassageID, f.DocumentID, f.Name, f.Place, passageText(f), f.More})
	}
	switch {
	case n.All == 0:
		said.Note = "The person has no documents."
	case unready != nil:
		said.Note = agent.MessageOf(unready)
	case len(found.Passages) == 0:
		said.Note = "Nothing in the documents answers this. Search once more, in other words or in the other language that the documents may have; then say so."
		if unread := n.All - n.Searched - n.Reading; unread > 0 {
			said.Note += fmt.Sprintf(" Documents without text that could be read: %d; document_list says why.", unread)
		}
	}
	if found.WordsOnly {
		said.Note = strings.TrimSpace(said.Note + " Meanings could not be compared this time: only passages that share words with the query are found.")
	}
	return encode(said, read...)
}

// passageText is a passage below the headings that lead to it and, in a table, below the row
// that says what its columns are.
func passageText(f agent.Found) string {
	var above []string
	if len(f.Headings) > 0 {
		above = append(above, strings.Join(f.Headings, " › "))
	}
	if f.Head != "" {
		above = append(above, f.Head)
	}
	return strings.Join(append(above, f.Text), "\n")
}

func unfound(err error) agent.ToolResult {
	kind := agent.ErrExecution
	if agent.CodeOf(err) == agent.Invalid {
		kind = agent.ErrInvalidParams
	}
	return failed(kind, "%s", agent.MessageOf(err))
}

type documentList struct{ documents Documents }

func (documentList) Spec() agent.ToolSpec {
	s := builtin(sources.ListTool, documentListText, `{
		"type": "object", "additionalProperties": false,
		"properties": {
			"name": {"type": "string", "maxLength": 120, "description": "A part of the names to list; all by default"},
			"cursor": {"type": "string", "maxLength": 200, "description": "The next of an earlier list"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Set = agent.EffectRead, agent.RiskLow, true, agent.DocumentTools
	return s
}

type listedDocument struct {
	ID      string                `json:"id"`
	Name    string                `json:"name"`
	Title   string                `json:"title,omitempty"`
	Type    agent.DocumentType    `json:"type,omitempty"`
	Pages   int                   `json:"pages,omitempty"`
	State   agent.DocumentState   `json:"state"`
	Problem agent.DocumentProblem `json:"problem,omitempty"`
	Added   string                `json:"added"`
}

func (t documentList) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Name, Cursor string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	found, next, err := t.documents.Documents(ctx, agent.DocumentFilter{UserID: in.UserID, In: in.Collections, Name: args.Name}, agent.Page{Cursor: args.Cursor})
	if err != nil {
		return unfound(err)
	}
	said := struct {
		Documents []listedDocument `json:"documents"`
		Next      string           `json:"next,omitempty"`
	}{Documents: []listedDocument{}, Next: next}
	var read []string
	for _, d := range found {
		read = append(read, d.ID)
		r := d.Reading
		said.Documents = append(said.Documents, listedDocument{d.ID, d.Name, r.Title, r.Type, r.Pages, d.State, r.Problem, d.AddedAt.UTC().Format("2006-01-02")})
	}
	return encode(said, read...)
}
