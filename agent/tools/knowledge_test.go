package tools

import (
	"context"
	"strings"
	"testing"

	"fusebox/agent"
)

// library has one document of ana's, of which a passage answers questions about pumps, and one
// that could not be read.
type library struct{}

func (library) Find(_ context.Context, userID, question string, limit int) (f agent.Finding, err error) {
	f.WordsOnly = strings.Contains(question, "by words")
	if strings.Trim(question, "?!") == "" {
		return f, agent.Errorf(agent.Invalid, "There is no word to search for: the question contains only punctuation.")
	}
	if userID != "ana" || !strings.Contains(question, "pump") || limit < 1 {
		return f, nil
	}
	f.Passages = []agent.Found{{PassageID: "p1", DocumentID: "d1", Name: "parts.md", Place: "Parts", Headings: []string{"Hall 2", "Parts"}, Head: "id | part", Text: "7 | pump", More: 2}}
	return f, nil
}

func (library) Documents(_ context.Context, userID, search string, _ agent.Page) ([]agent.Document, string, error) {
	if userID != "ana" || search != "" {
		return nil, "", nil
	}
	return []agent.Document{
		{ID: "d1", Name: "parts.md", State: agent.DocumentReady, Reading: agent.Reading{Type: agent.TypeMarkdown, Title: "Parts"}},
		{ID: "d2", Name: "old.pdf", State: agent.DocumentFailed, Reading: agent.Reading{Type: agent.TypePDF, Problem: agent.ProblemScan}},
	}, "more", nil
}

func (library) CountDocuments(_ context.Context, userID string) (agent.DocumentCounts, error) {
	if userID != "ana" {
		return agent.DocumentCounts{}, nil
	}
	return agent.DocumentCounts{All: 4, Reading: 1, Searched: 2}, nil
}

// TestKnowledge: what the model reads of the person's documents: passages below what leads to
// them, how much was searched, and why there is nothing.
func TestKnowledge(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	call := func(user, tool, args string) string {
		res := r.Execute(t.Context(), tool, agent.ToolInput{UserID: user, Args: []byte(args)})
		return string(res.ErrorType) + res.Content
	}
	for _, tc := range []struct{ user, tool, args, want string }{
		{"ana", "knowledge_search", `{"query":"which pump"}`, `{"passages":[{"id":"p1","documentId":"d1","name":"parts.md","place":"Parts","text":"Hall 2 › Parts\nid | part\n7 | pump","more":2}],"documents":2,"reading":1}`},
		{"ana", "knowledge_search", `{"query":"whales"}`, `{"passages":[],"documents":2,"reading":1,"note":"Nothing in the documents answers this. Try other words, or say so. Documents without text that could be read: 1; document_list says why."}`},
		{"ana", "knowledge_search", `{"query":"pump by words"}`, `{"passages":[{"id":"p1","documentId":"d1","name":"parts.md","place":"Parts","text":"Hall 2 › Parts\nid | part\n7 | pump","more":2}],"documents":2,"reading":1,"note":"Meanings could not be compared this time: only passages that share words with the query are found."}`},
		{"ben", "knowledge_search", `{"query":"which pump","top_k":2}`, `{"passages":[],"documents":0,"note":"The person has no documents."}`},
		{"ana", "knowledge_search", `{"query":"?!"}`, `invalid_tool_paramsThere is no word to search for: the question contains only punctuation.`},
		{"ana", "document_list", `{}`, `{"documents":[{"id":"d1","name":"parts.md","title":"Parts","type":"markdown","state":"ready","added":"0001-01-01"},{"id":"d2","name":"old.pdf","type":"pdf","state":"failed","problem":"scan","added":"0001-01-01"}],"next":"more"}`},
		{"ben", "document_list", `{"name":"x"}`, `{"documents":[]}`},
	} {
		if got := call(tc.user, tc.tool, tc.args); got != tc.want {
			t.Errorf("%s %s for %s:\n%s\nwant\n%s", tc.tool, tc.args, tc.user, got, tc.want)
		}
	}
}
