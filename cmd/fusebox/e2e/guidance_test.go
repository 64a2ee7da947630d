package e2e

import (
	"strings"
	"testing"
)

// TestTypedWordsSurviveKills: what a person types on a card reaches the model in each later
// request of the chat, once, although the server is killed before the decision and
// after it took effect; the chat has it as theirs, and its page shows it once.
func TestTypedWordsSurviveKills(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		turns    [][]asked
		decision string
	}{
		"approved":  {[][]asked{{sh("rm a.txt")}}, `{"decision":"approve","comment":"mind the spare tyre"}`},
		"edited":    {[][]asked{{sh("rm a.txt")}}, `{"decision":"edit","args":{"command":"ls"},"comment":"mind the spare tyre"}`},
		"in a loop": {loopOf(8), `{"decision":"resume","comment":"mind the spare tyre"}`},
		"wrap up":   {loopOf(8), `{"decision":"resume","answer":"finish_now","comment":"mind the spare tyre"}`},
		"refused":   {[][]asked{{sh("rm a.txt")}}, `{"decision":"reject","comment":"mind the spare tyre"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, url := startModel(t)
			env, data := []string{"OPENAI_BASE_URL=" + url, "FUSEBOX_MODEL=scripted"}, t.TempDir()
			model.plays("check the car", tc.turns...)
			p := startProgram(t, data, env...)
			conversation, run := p.admin().ask("check the car")
			p.admin().rests(run)
			p.kill()
			p = startProgram(t, data, env...)
			p.admin().decide(run, tc.decision)
			p.admin().rests(run) // else its command may be cut off, which asks again
			p.kill()
			p = startProgram(t, data, env...)
			a := p.admin()
			for _, more := range []string{"and the bike?", "and the boat?"} {
				a.rests(a.post(conversation, more))
				if n := strings.Count(model.last(more), "mind the spare tyre"); n != 1 {
					t.Errorf("%s: the words are %d times in %s", more, n, model.last(more))
				}
			}
			page := a.page(t, "/c/"+conversation)
			if n := strings.Count(page, `<blockquote class="ask-comment">mind the spare tyre</blockquote>`); n != 1 || strings.Contains(page, `data-said>mind the spare`) {
				t.Errorf("the page has the words %d times on the card, or beside it", n)
			}
		})
	}
}

func loopOf(n int) [][]asked {
	turns := make([][]asked, n)
	for i := range turns {
		turns[i] = []asked{{"calculator", `{"expression":"1+1"}`}}
	}
	return turns
}
