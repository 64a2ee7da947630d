package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// library has one document of ana's, of which a passage answers questions about pumps, and one
// that could not be read.
type library struct{}

func (library) Find(_ context.Context, search agent.Search) (f agent.Finding, err error) {
	userID, question, limit := search.UserID, search.Query, search.Limit
	f.WordsOnly = strings.Contains(question, "by words")
	if strings.Trim(question, "?!") == "" {
		return f, agent.Errorf(agent.Invalid, "There is no word to search for: the question contains only punctuation.")
	}
	if question == "rebuilt" {
		return f, agent.Errorf(agent.Unavailable, "The index is being rebuilt.")
	}
	if userID != "ana" || !strings.Contains(question, "pump") || limit < 1 {
		return f, nil
	}
	f.Passages = []agent.Found{{PassageID: "p1", DocumentID: "d1", Name: "parts.md", Place: "Parts", Headings: []string{"Hall 2", "Parts"}, Head: "id | part", Text: "7 | pump", More: 2}}
	return f, nil
}

func (library) Documents(_ context.Context, f agent.DocumentFilter, _ agent.Page) ([]agent.Document, string, error) {
	if f.UserID != "ana" || f.Name != "" {
		return nil, "", nil
	}
	return []agent.Document{
		{ID: "d1", Name: "parts.md", State: agent.DocumentReady, Reading: agent.Reading{Type: agent.TypeMarkdown, Title: "Parts"}},
		{ID: "d2", Name: "old.pdf", State: agent.DocumentFailed, Reading: agent.Reading{Type: agent.TypePDF, Problem: agent.ProblemScan}},
	}, "more", nil
}

func (library) CountDocuments(_ context.Context, userID string, _ agent.CollectionChoice) (agent.DocumentCounts, error) {
	if userID != "ana" {
		return agent.DocumentCounts{}, nil
	}
	return agent.DocumentCounts{All: 4, Reading: 1, Searched: 2}, nil
}

// book has three lines of text below a heading, and a hidden one.
const book = "Pumps wear.\nShut the gate first.\nhidden\n"

func (library) Document(_ context.Context, userID, id string, _ int) (agent.Document, error) {
	d := agent.Document{ID: id, UserID: userID, Name: "book.md", State: agent.DocumentReady, Version: 1, Answers: 1}
	switch {
	case userID != "ana" || id == "gone":
		return d, agent.Errorf(agent.NotFound, "There is no such document.")
	case id == "scan":
		d.State, d.Answers, d.Reading.Problem = agent.DocumentFailed, 0, agent.ProblemScan
	case id == "fresh":
		d.State, d.Answers = agent.DocumentReading, 0
	}
	return d, nil
}

func (library) CallDocuments(context.Context, string) ([]agent.CallDocument, error) { return nil, nil }

// long is a text of many short sections, with signs that take more room as JSON.
var long = strings.Repeat("<Öl> ist \"knapp\".\n", 600)

func (library) DocumentText(_ context.Context, _, id string, _ int) (string, []agent.Section, error) {
	if id == "long" {
		var sections []agent.Section
		for at := 0; at < len(long); at += len(long) / 600 {
			sections = append(sections, agent.Section{Start: at, End: at + len(long)/600, Headings: []string{fmt.Sprint("Section ", at)}})
		}
		return long, sections, nil
	}
	visible := strings.Index(book, "hidden")
	return book, []agent.Section{{End: visible, Headings: []string{"Hall 2", "Parts"}}, {Start: visible, End: len(book), Kind: agent.KindHidden}}, nil
}

func (l library) PassagesOf(ctx context.Context, userID, id string, _ int) (all []agent.Found, err error) {
	_, sections, err := l.DocumentText(ctx, userID, id, 1)
	for i, s := range sections {
		if s.Kind != agent.KindHidden {
			all = append(all, agent.Found{PassageID: fmt.Sprint("p", i+1), DocumentID: "d1", Name: "book.md", Place: "Parts", Start: s.Start, End: s.End})
		}
	}
	return all, err
}

// TestDocumentRead: what the model reads of the open document, part by part, and the word for
// each way in which there is nothing to read.
func TestDocumentRead(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	read := func(user, document, args string) string {
		res := r.Execute(t.Context(), "document_read", agent.ToolInput{UserID: user, DocumentID: document, Args: []byte(args)})
		return string(res.ErrorType) + res.Content
	}
	for _, tc := range []struct{ user, document, args, want string }{
		{"ana", "d1", `{}`, `{"passages":[{"id":"p1","documentId":"d1","name":"book.md","place":"Parts","begins":"Pumps wear. Shut the gate first."}],"name":"book.md","part":1,"parts":1,"text":"# Hall 2 › Parts\nPumps wear.\nShut the gate first.\n"}`},
		{"ana", "d1", `{"part":2}`, "invalid_tool_paramspart: the document ends with part 1."},
		{"ana", "gone", `{}`, "execution_failedThe document that was open is not there any more. Tell the person."},
		{"ben", "d1", `{}`, "execution_failedThe document that was open is not there any more. Tell the person."},
		{"ana", "scan", `{}`, "execution_failedThe document has no text that can be read: scan. Tell the person; its page says what helps."},
	} {
		if got := read(tc.user, tc.document, tc.args); got != tc.want {
			t.Errorf("%s of %s for %s:\n%s\nwant\n%s", tc.args, tc.document, tc.user, got, tc.want)
		}
	}
	var passages, lines int
	for part := 1; ; part++ {
		raw := read("ana", "long", fmt.Sprintf(`{"part":%d}`, part))
		var got struct {
			Passages []struct{ Begins string }
			Text     string
			Parts    int
		}
		if err := json.Unmarshal([]byte(raw), &got); err != nil || len(raw) > 3000 {
			t.Fatalf("part %d has %d bytes: %v", part, len(raw), err)
		}
		passages += len(got.Passages)
		lines += strings.Count(got.Text, `<Öl> ist "knapp".`)
		if part >= got.Parts {
			break
		}
	}
	if passages != 600 || lines != 600 {
		t.Errorf("all parts have %d passages and %d lines", passages, lines)
	}
}

// TestDocumentReadWaits: a document that is being read is waited for, and not for ever.
func TestDocumentReadWaits(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	tool := documentRead{library{}, 3000, clock}
	done := make(chan agent.ToolResult, 1)
	go func() {
		done <- tool.Run(t.Context(), agent.ToolInput{UserID: "ana", DocumentID: "fresh", Args: []byte(`{}`)})
	}()
	agenttest.Eventually(t, "the end of waiting", func() bool {
		clock.Advance(time.Second)
		return len(done) == 1
	})
	if got := <-done; !strings.Contains(got.Content, "still being read") {
		t.Errorf("%+v", got)
	}
}

func (library) SaveNote(_ context.Context, userID, name, text string) (agent.Document, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return agent.Document{}, agent.InvalidField("text", "is missing; write something")
	case userID != "ana":
		return agent.Document{}, agent.Errorf(agent.Conflict, "Your documents take 20 GB.")
	}
	return agent.Document{ID: "d3", Name: name + ".md"}, nil
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
		{"ana", "knowledge_search", `{"query":"whales"}`, `{"passages":[],"documents":2,"reading":1,"note":"Nothing in the documents answers this. Search once more, in other words or in the other language that the documents may have; then say so. Documents without text that could be read: 1; document_list says why."}`},
		{"ana", "knowledge_search", `{"query":"rebuilt"}`, `{"passages":[],"documents":2,"reading":1,"note":"The index is being rebuilt."}`},
		{"ben", "knowledge_search", `{"query":"rebuilt"}`, `{"passages":[],"documents":0,"note":"The person has no documents."}`},
		{"ana", "knowledge_search", `{"query":"pump by words"}`, `{"passages":[{"id":"p1","documentId":"d1","name":"parts.md","place":"Parts","text":"Hall 2 › Parts\nid | part\n7 | pump","more":2}],"documents":2,"reading":1,"note":"Meanings could not be compared this time: only passages that share words with the query are found."}`},
		{"ben", "knowledge_search", `{"query":"which pump","top_k":2}`, `{"passages":[],"documents":0,"note":"The person has no documents."}`},
		{"ana", "knowledge_search", `{"query":"?!"}`, `invalid_tool_paramsThere is no word to search for: the question contains only punctuation.`},
		{"ana", "document_list", `{}`, `{"documents":[{"id":"d1","name":"parts.md","title":"Parts","type":"markdown","state":"ready","added":"0001-01-01"},{"id":"d2","name":"old.pdf","type":"pdf","state":"failed","problem":"scan","added":"0001-01-01"}],"next":"more"}`},
		{"ben", "document_list", `{"name":"x"}`, `{"documents":[]}`},
		{"ana", "document_save", `{"name":"Pumps","text":"# 7"}`, `{"documentId":"d3","name":"Pumps.md"}`},
		{"ana", "document_save", `{"name":"Pumps","text":" "}`, `invalid_tool_paramstext: is missing; write something`},
		{"ben", "document_save", `{"name":"Pumps","text":"# 7"}`, `execution_failedYour documents take 20 GB.`},
	} {
		if got := call(tc.user, tc.tool, tc.args); got != tc.want {
			t.Errorf("%s %s for %s:\n%s\nwant\n%s", tc.tool, tc.args, tc.user, got, tc.want)
		}
	}
}
