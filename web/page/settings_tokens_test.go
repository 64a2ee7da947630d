package page

import (
	"testing"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestScopesInWords: a token's scopes are called as the form calls them, in the page's language.
func TestScopesInWords(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"en": "Read, Chat", "zh": "读取、对话"} {
		if got := scopesInWords(text.For(language), agent.TokenScopes{agent.TokenRead, agent.TokenChat}); got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
}
