package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Target is the endpoint behind the server.
type Target struct {
	BaseURL, Model, Key string
}

// String names the endpoint without anything secret.
func (t Target) String() string {
	u, err := url.Parse(t.BaseURL)
	if err != nil {
		return t.Model
	}
	return t.Model + " at " + u.Redacted()
}

// firstDelta asks the endpoint itself, and returns how long its first delta took.
func (t Target) firstDelta(ctx context.Context, client *http.Client, model, content string) (time.Duration, error) {
	req, err := newRequest(ctx, strings.TrimSuffix(t.BaseURL, "/")+"/chat/completions", t.Key, map[string]any{
		"model": model, "stream": true, "messages": []map[string]string{{"role": "user", "content": content}},
	})
	if err != nil {
		return 0, err
	}
	start := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("reach the endpoint: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return 0, fmt.Errorf("the endpoint answers %s: %s", res.Status, bytes.TrimSpace(said))
	}
	return firstOf(res.Body, start)
}

// firstOf reads a stream to its end, so that its connection can be used again.
func firstOf(stream io.Reader, start time.Time) (took time.Duration, err error) {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		if took == 0 && hasText(line) {
			took = time.Since(start)
		}
		switch {
		case errors.Is(err, io.EOF) && took == 0:
			return 0, errors.New("the endpoint's answer has no text")
		case errors.Is(err, io.EOF):
			return took, nil
		case err != nil:
			return 0, fmt.Errorf("read the endpoint's answer: %w", err)
		}
	}
}

func hasText(line []byte) bool {
	data, ok := bytes.CutPrefix(line, []byte("data: {"))
	if !ok {
		return false
	}
	var chunk struct {
		Choices []struct {
			Delta struct {
				Content   string `json:"content"`
				Reasoning string `json:"reasoning_content"`
			} `json:"delta"`
		} `json:"choices"`
	}
	if json.Unmarshal(append([]byte("{"), data...), &chunk) != nil || len(chunk.Choices) == 0 {
		return false
	}
	d := chunk.Choices[0].Delta
	return d.Content != "" || d.Reasoning != ""
}
