package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestKeptOutputIsRead: the model reads on in an output that was too long, by the path
// that the result names, and a person reads all of it through the link of the run's page.
func TestKeptOutputIsRead(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	h.model.plays("count", []asked{sh("seq 1 20000")})
	conversation, run := h.ana.ask("count")
	h.conversationOf[run] = conversation
	h.ana.rests(run)
	if status, v := decides(h.rex, h.card(t, run), `{"decision":"approve"}`); status != http.StatusOK {
		t.Fatal(v)
	}
	h.ana.rests(run)
	path := fmt.Sprintf("outputs/%s/%s/call_0_0.txt", conversation, run)
	if got := h.results(run)[0]; !strings.Contains(got, path) || strings.Contains(got, "\n10000\n") {
		t.Fatalf("the result does not name %s:\n%s", path, got[len(got)/2:])
	}
	h.model.plays("read on", []asked{{"read_file", fmt.Sprintf(`{"path":%q,"offset":48888,"limit":12}`, path)}})
	second := h.ana.post(conversation, "read on")
	h.ana.rests(second)
	got := h.results(run)
	if want := "10000\n10001\n\n[… bytes 48888 to 48900 of 108894; read on with offset 48900 …]"; got[len(got)-1] != want {
		t.Errorf("the model reads %q", got[len(got)-1])
	}
	status, whole := h.ana.call("GET", "/api/v1/runs/"+run+"/output?call=call_0_0", "")
	if status != http.StatusOK || len(whole) != 108894 || !strings.HasSuffix(string(whole), "\n20000\n") {
		t.Errorf("a person reads %d: %d bytes", status, len(whole))
	}
}
