package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
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
		var stderr bytes.Buffer
		p := process{stdout: io.Discard, stderr: &stderr}
		if status := p.main(t.Context(), append([]string{"demo-model"}, args...)); status != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: exit status %d: %s", args, status, stderr.String())
		}
	}
}

// TestDemoModelLogsItsRefusals: with the reason, and the server continues.
func TestDemoModelLogsItsRefusals(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	log := &logBuffer{}
	ended := make(chan int)
	go func() {
		p := process{stdout: io.Discard, stderr: log}
		ended <- p.main(ctx, []string{"demo-model", "-addr", "127.0.0.1:0", "--strict", "mistral"})
	}()
	listening := regexp.MustCompile(`msg=listening url=(\S+)`)
	eventually(t, "the address", func() bool { return listening.MatchString(log.String()) })
	url := listening.FindStringSubmatch(log.String())[1] + "/chat/completions"
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
	if said := log.String(); strings.Count(said, `msg="refused a request" reason="messages[0]: Expected last role User or Tool`) != 1 {
		t.Errorf("log: %s", said)
	}
	cancel()
	if status := <-ended; status != exitOK {
		t.Errorf("exit status %d", status)
	}
}
