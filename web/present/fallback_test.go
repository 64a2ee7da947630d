package present

import (
	"testing"

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
