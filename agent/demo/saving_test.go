package demo

import "testing"

// TestAnswersAreSaved: the demo model saves its last answer as a note, under the name that it is told,
// or the answer's first words.
func TestAnswersAreSaved(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools = []string{saveTool, rememberTool}
		wantText(t, c.ask("Save that as a note"), "no answer yet")
		s := c.ask("Remember that I live in Zürich.")
		wantText(t, c.results(s, "The memory is full."), "The memory is full.")
		s = c.ask("Please save that as a note.")
		wantCalls(t, s, `document_save{"name":"The memory is full.","text":"The memory is full."}`)
		wantText(t, c.results(s, `{"documentId":"d1","name":"The memory is full..md"}`), "I saved it.")
		s = c.ask("把刚才的回答存成笔记，名为“记忆”。")
		wantCalls(t, s, `document_save{"name":"记忆","text":"I saved it. You find it on the page Documents, and in all chats that search your documents."}`)
		wantText(t, c.results(s, "Your documents take 20 GB."), "20 GB")
		c.tools = nil
		wantText(t, c.ask("把它存成笔记"), "没有")
	})
}
