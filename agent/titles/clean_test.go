package titles_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/titles"
)

// TestClean: whatever a model answers, a title is one plain line.
func TestClean(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"Night trains to Rome":                        "Night trains to Rome",
		"**\"Night trains.\"**\n\nI chose it because": "Night trains",
		"<think>A title…":                             "",
		"It has ended</think>\n标题：「夜车到罗马。」":           "夜车到罗马",
		"# Trains 🚆👩🏽‍🚀 and 25 °C":                    "Trains and 25 °C",
		"\u202eReversed\u200b text\x07":               "Reversed text",
		" \n. \n":                                     "",
		"What next...":                                "What next...",
		strings.Repeat("长", 80):                       strings.Repeat("长", 59) + "…",
	} {
		if diff := cmp.Diff(want, titles.Clean(answer)); diff != "" {
			t.Errorf("%q -want +got:\n%s", answer, diff)
		}
	}
}

// runes counts a token for each character, as few tokenizers do.
type runes struct{}

func (runes) CountText(text string) int64 { return int64(len([]rune(text))) }
func (r runes) CountPrompt(q agent.Request) int64 {
	return r.CountText(q.System) + r.CountText(q.Messages[0].Content)
}

// TestRequestIsShort: however long a message and however its tokens are counted, it is cut at
// a character and fits.
func TestRequestIsShort(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"Hi", strings.Repeat("电池🚆", 20_000), strings.Repeat("\xff\xfe", 3000), ""} {
		req := titles.Request("small", message, runes{})
		if n := (runes{}).CountPrompt(req); n > 500 || strings.ContainsRune(req.Messages[0].Content, '\ufffd') {
			t.Errorf("%d tokens: %q", n, req.Messages[0].Content)
		}
		if req.Tools != nil || req.Thinking.Mode != agent.ThinkingOff || req.MaxTokens == 0 {
			t.Errorf("asked %+v", req)
		}
	}
}
