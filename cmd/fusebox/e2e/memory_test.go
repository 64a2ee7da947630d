package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// TestPeopleAreRemembered: what one person has a run remember, their later chats know, and
// nobody else's; nothing asks. Where it is switched off no model is offered the tools. What
// is deleted is in no file any more.
func TestPeopleAreRemembered(t *testing.T) {
	t.Parallel()
	const secret = "quaggaxylophone"
	data := t.TempDir()
	p := startProgram(t, data)
	root := p.admin()
	if status, _, said := fusebox(t, data, "a long enough password\n", "user", "add", "--email", "eve@example.org", "--role", "user", "--password-stdin"); status != exitOK {
		t.Fatal(said)
	}
	eve := api{t, p.url, p.token("eve@example.org")}
	ask := func(who api, says string) string {
		t.Helper()
		chat, run := who.ask(says)
		if got := who.rests(run); got["status"] != "finished" {
			t.Fatalf("%s: %v", says, got)
		}
		return fmt.Sprint(who.events(chat, 0))
	}
	if log := ask(root, "Remember that I live in "+secret); !strings.Contains(log, "remembered") || strings.Contains(log, "approval") {
		t.Errorf("remembering: %s", log)
	}
	if log := ask(root, "Remember that I live in "+strings.ToUpper(secret)); !strings.Contains(log, "known already") {
		t.Errorf("remembering it again: %s", log)
	}
	if log := ask(root, "What do you know about me?"); !strings.Contains(log, "- I live in "+secret) {
		t.Errorf("recalling: %s", log)
	}
	if log := ask(eve, "What do you know about me?"); strings.Contains(log, secret) || !strings.Contains(log, "I know nothing about you yet") {
		t.Errorf("another person: %s", log)
	}
	list := fmt.Sprint(root.must("GET", "/api/v1/memories", ""))
	if strings.Count(list, secret) != 1 || !strings.Contains(list, "conversationId") {
		t.Errorf("remembered: %s", list)
	}
	root.call("PATCH", "/api/v1/memories", `{"on":false}`)
	if log := ask(root, "What do you know about me?"); !strings.Contains(log, "not offered to me here") {
		t.Errorf("switched off: %s", log)
	}
	// The chats that name it go first; the list still has it.
	for _, c := range root.must("GET", "/api/v1/conversations", "")["items"].([]any) {
		root.call(http.MethodDelete, "/api/v1/conversations/"+c.(map[string]any)["id"].(string), "")
	}
	if list := fmt.Sprint(root.must("GET", "/api/v1/memories", "")); !strings.Contains(list, secret) || strings.Contains(list, "conversationId") {
		t.Errorf("after the chats: %s", list)
	}
	if status, body := root.call(http.MethodDelete, "/api/v1/memories", ""); status != http.StatusNoContent {
		t.Fatalf("deleting: %d %s", status, body)
	}
	agenttest.Eventually(t, "files without the deleted fact", func() bool { return len(filesWith(t, data, secret)) == 0 })
}
