package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestDemoModelNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`flag --strict: "nobody" is not allowed; allowed: openai, deepseek, kimi, qwen, ollama, gemini, mistral`: {"--strict", "nobody"},
		`flag --break-every: -1 is not allowed; allowed: a number from 0`:                                        {"--break-every", "-1"},
		`usage: fusebox demo-model [-addr HOST:PORT] [--strict FAMILY] [--break-every N]`:                        {"--strict", "kimi", "more"},
	} {
		if status, _, said := with(t, nil, "", append([]string{"demo-model"}, args...)...); status != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%v: exit status %d: %s", args, status, said)
		}
	}
}

// TestDemoModelLogsItsRefusals: with the reason, and the server continues.
func TestDemoModelLogsItsRefusals(t *testing.T) {
	t.Parallel()
	p := start(t, command(t, t.Context(), nil, "demo-model", "-addr", "127.0.0.1:0", "--strict", "mistral"))
	url := p.logged(`msg=listening url=(\S+)`) + "/chat/completions"
	for body, want := range map[string]int{
		`{"model":"x","messages":[{"role":"assistant","content":"Hello."}]}`: http.StatusBadRequest,
		`{"model":"x","messages":[{"role":"user","content":"Hello."}]}`:      http.StatusOK,
	} {
		res, err := http.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: status %d", body, res.StatusCode)
		}
	}
	must(t, p.cmd.Process.Signal(os.Interrupt))
	must(t, p.cmd.Wait())
	if said := p.log.String(); strings.Count(said, `msg="refused a request" reason="messages[0]: Expected last role User or Tool`) != 1 {
		t.Errorf("log: %s", said)
	}
}
