package present

import (
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestReasonsOfFallbacks: why another way is tried is said in the reader's language, and
// a reason that a later version stored as it is.
func TestReasonsOfFallbacks(t *testing.T) {
	t.Parallel()
	chinese := text.For("zh")
	for reason, want := range map[string]string{
		"incomplete-tool-chain": "正在尝试其他方式：工具调用不完整。",
		"stream-cut":            "正在尝试其他方式：流被中断。",
		"model-unavailable":     "正在尝试其他方式：无法连接模型。",
		"budget":                "正在尝试其他方式：预算即将用完。",
		"some-new-reason":       "正在尝试其他方式：some new reason。",
	} {
		if got := waitOf(chinese, agent.Event{Data: agent.FallbackEvent{Reason: reason, Attempt: 1}}).Text; got != want {
			t.Errorf("%s: %s, want %s", reason, got, want)
		}
	}
}

// TestWaitsForTheModel: a call that waits for what another one was told has no retry yet.
func TestWaitsForTheModel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		attempt int
		message string
		en, zh  string
	}{
		{0, "The model server is busy and has refused another call (429).", "The model server is busy and has refused another call (429).", "模型服务器繁忙，已拒绝另一次调用（429）。"},
		{2, "The model server received too many requests (429).", "Retry 2 of 10. The model server received too many requests (429).", "第 2 次重试，共 10 次。模型服务器收到的请求过多（429）。"},
	} {
		e := agent.Event{Data: agent.RetryEvent{Attempt: tc.attempt, MaxAttempts: 10, DelayMS: 2000, Status: 429, Message: tc.message}}
		for language, want := range map[string]string{"en": tc.en, "zh": tc.zh} {
			if got := waitOf(text.For(language), e); got.Text != want || !got.Retry || got.Until != e.At.Add(2*time.Second) {
				t.Errorf("%s: %+v, want %s", language, got, want)
			}
		}
	}
}
