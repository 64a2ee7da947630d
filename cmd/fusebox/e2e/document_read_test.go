package e2e

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
	"fusebox/agent/documents"
)

// about sends a message with a document open beside the chat.
func (a api) about(conversation, content, document string) (run string) {
	a.t.Helper()
	return a.must("POST", "/api/v1/conversations/"+conversation+"/messages", fmt.Sprintf(`{"content":%q,"documentId":%q}`, content, document))["runId"].(string)
}

// TestDocumentBesideChat: the open document can be read by the run of the message that names it,
// and by no other; what is cited of it leads to its passages. One that the person does not have
// is refused, whether another one does or not.
func TestDocumentBesideChat(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	id := h.ana.adds("pumps.md", "# Pumps\n\nPump 7 trips at 16 A.\n\n# Filters\n\nChange them each spring.\n")
	theirs := h.rex.adds("secret.md", "The secret of Rex.")
	chat := h.ana.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	read := asked{"document_read", "{}"}
	h.model.plays("with", []asked{read}, []asked{{"", "At 16 A [1], in spring [2], and [3]."}})
	h.ana.rests(h.ana.about(chat, "with", id)) // the run waits until it has been read
	if told := h.model.last("with"); !strings.Contains(told, `\"text\":\"# Pumps\\nPump 7 trips at 16 A.`) || !strings.Contains(told, "untrusted") {
		t.Errorf("the model was told %s", told)
	}
	answer := h.ana.answerOf(chat)
	cited, _ := answer["citations"].([]any)
	if len(cited) != 2 || fmt.Sprint(answer["unknownCitations"]) != "[3]" {
		t.Fatalf("citations %v, unknown %v", cited, answer["unknownCitations"])
	}
	if page := h.ana.page(t, "/passages/"+cited[1].(map[string]any)["passageId"].(string)); !strings.Contains(page, "<mark>Change them each spring.</mark>") {
		t.Errorf("the passage is not shown: %s", page)
	}
	if page := h.ana.page(t, "/c/"+chat); !strings.Contains(page, `class="said-document" href="/documents/`+id+`"`) {
		t.Error("the chat does not say which document the message was about")
	}

	h.model.plays("without", []asked{{"", "I can't."}})
	h.ana.rests(h.ana.post(chat, "without"))
	const offer = "Reads the document that the person has open"
	if strings.Contains(h.model.last("without"), offer) || !strings.Contains(h.model.last("with"), offer) {
		t.Error("document_read is not offered just where a document is open")
	}

	for _, foreign := range []string{theirs, "absent"} {
		status, raw := h.ana.call(http.MethodPost, "/api/v1/conversations/"+chat+"/messages", fmt.Sprintf(`{"content":"x","documentId":%q}`, foreign))
		if status != http.StatusUnprocessableEntity || !strings.Contains(string(raw), `"field":"documentId","detail":"there is no such document of yours`) {
			t.Errorf("%s: %d %s", foreign, status, raw)
		}
		if page := h.ana.page(t, "/c/"+chat+"?document="+foreign); strings.Contains(page, "secret.md") || !strings.Contains(page, "data-document hidden") {
			t.Errorf("%s is open beside the chat", foreign)
		}
	}
}

// TestDocumentBesideDemo plays the demo model's ways with an open document, in both languages: it
// alone; and then its related documents and the web at once.
func TestDocumentBesideDemo(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir())
	ana := p.admin()
	open := map[string]string{}
	for _, language := range []string{"en", "zh"} {
		must(t, documents.EachSample(language, func(name string, content io.Reader) error {
			text, err := io.ReadAll(content)
			if id := ana.adds(name, string(text)); strings.Contains(string(text), "21:40") {
				open[language] = id
			}
			return err
		}))
	}
	agenttest.Eventually(t, "the samples", func() bool { return ana.countDocuments("ready") == 6 })
	alone, all := []string{"document_read"}, []string{"document_read", "knowledge_search", "web_search"}
	for _, row := range []struct {
		language, said string
		tools          []string
		has            []string
	}{
		{"en", "Summarise this document", alone, []string{"In short:", "to Vienna on 12 May", "[1]"}},
		{"zh", "总结这个文档", alone, []string{"摘要：", "[1]"}},
		{"en", "Summarise this document, then look for related notes and for what is new on the web", all, []string{"In short:", "Related in your documents:", "On the web:", "Night trains are coming back"}},
		{"zh", "总结这个文档，再查找相关笔记和网上的新内容", all, []string{"摘要：", "网上：", "夜行列车重新流行"}},
		{"", "Summarise this document", nil, []string{"No document is open beside this chat."}},
	} {
		chat := ana.must("POST", "/api/v1/conversations", "{}")["id"].(string)
		if got := ana.rests(ana.about(chat, row.said, open[row.language])); got["status"] != "finished" {
			t.Errorf("%s: %v", row.said, got)
		}
		if got := ana.calledIn(chat); !slices.Equal(got, row.tools) {
			t.Errorf("%s: it called %v", row.said, got)
		}
		answer := ana.answerOf(chat)
		said := fmt.Sprint(answer["content"], answer["citations"])
		for _, has := range row.has {
			if !strings.Contains(said, has) {
				t.Errorf("%s: the answer lacks %q: %s", row.said, has, said)
			}
		}
		if answer["unknownCitations"] != nil {
			t.Errorf("%s: it cites %v", row.said, answer["unknownCitations"])
		}
	}
}
