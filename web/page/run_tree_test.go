package page

import (
	"testing"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestEndOfARunInWords: a run that has nothing more to say ends with a full stop of the
// page's language.
func TestEndOfARunInWords(t *testing.T) {
	t.Parallel()
	r := runRecord{run: agent.Run{Status: agent.StatusFinished, StopReason: agent.StopGoal}}
	for language, want := range map[string]string{"en": "Done.", "zh": "完成。"} {
		if got := r.sentence(text.For(language)); got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
}
