package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestOpenCardsAreBounded: a person whose runs wait for as many decisions as may be open
// gets no new run, and is told why; what waits stays as it was. The same message is taken
// once some are decided. Others are not held back.
func TestOpenCardsAreBounded(t *testing.T) {
	t.Parallel()
	h := startInstance(t, "FUSEBOX_APPROVAL_OPEN_PER_USER=2")
	h.model.plays("three cards", []asked{sh("echo 1 >> log"), sh("echo 2 >> log"), sh("echo 3 >> log")})
	run := h.ana.post(h.ana.must("POST", "/api/v1/conversations", "{}")["id"].(string), "three cards")
	h.ana.rests(run)
	cards := h.ana.must("GET", "/api/v1/approvals?status=pending", "")["items"].([]any)
	if len(cards) != 3 {
		t.Fatalf("%d cards are open", len(cards)) // a run that has begun goes on
	}
	conversation := h.ana.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	message := func(queue bool) (int, string) {
		status, raw := h.ana.call("POST", "/api/v1/conversations/"+conversation+"/messages", fmt.Sprintf(`{"content":"hello","clientId":"again","queue":%v}`, queue))
		return status, string(raw)
	}
	for _, queue := range []bool{false, true} {
		if status, said := message(queue); status != http.StatusConflict || !strings.Contains(said, "3 of your approvals wait for a decision") {
			t.Errorf("with three open cards: %d %s", status, said)
		}
	}
	if _, run := h.rex.ask("hello"); h.rex.rests(run)["status"] != "finished" {
		t.Error("somebody else is held back")
	}
	for _, card := range cards[:2] {
		if status, raw := decides(h.rex, card.(map[string]any), `{"decision":"approve"}`); status != http.StatusOK {
			t.Fatalf("%d %s", status, raw)
		}
	}
	if status, said := message(true); status != http.StatusAccepted {
		t.Errorf("with one open card: %d %s", status, said)
	}
	if status, raw := decides(h.rex, cards[2].(map[string]any), `{"decision":"approve"}`); status != http.StatusOK || h.ana.rests(run)["status"] != "finished" {
		t.Errorf("the last card: %d %s", status, raw)
	}
}
