package guards

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

// chantAt is where an answer to a task is cut, in bytes; 0 where it is not.
func chantAt(task, answer string) int {
	g := NewChanting(agent.DefaultGuardSettings(), task).(*chanting)
	for piece := range slicesOf(answer, 7) {
		if v := g.Write(piece); v.Level > agent.Pass {
			return g.bytes
		}
	}
	return 0
}

// slicesOf cuts a text into pieces of n bytes.
func slicesOf(text string, n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			piece := text[:min(n, len(text))]
			text = text[len(piece):]
			if !yield(piece) {
				return
			}
		}
	}
}

// TestRequestedRepetition: a sentence that the person asked to have repeated is not cut,
// as long as it is repeated about as often as they said. Anything else is.
func TestRequestedRepetition(t *testing.T) {
	t.Parallel()
	const line = "I will not talk in class."
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d. %s\n", i+1, line)
		}
		return b.String()
	}
	for name, tc := range map[string]struct {
		task, answer string
		cut          bool
	}{
		"lines":                 {`Write "I will not talk in class" 50 times.`, strings.Repeat(line+"\n", 50), false},
		"in one paragraph":      {"Please repeat: I will not talk in class! 100 times", strings.Repeat(line+" ", 100), false},
		"numbered":              {"Write I will not talk in class 60 times, numbered", numbered(60), false},
		"no number":             {"Repeat the word company over and over", strings.Repeat("company ", 90), false},
		"in Chinese":            {"请把“我再也不迟到了”抄写80遍", strings.Repeat("我再也不迟到了。\n", 80), false},
		"much oftener":          {`Write "I will not talk in class" 50 times.`, strings.Repeat(line+"\n", 100), true},
		"for ever":              {"Repeat the word company over and over", strings.Repeat("company ", 2000), true},
		"another sentence":      {`Write "I will not talk in class" 50 times.`, strings.Repeat("I will be good from now on.\n", 50), true},
		"not asked for":         {"What does I will not talk in class mean?", strings.Repeat(line+"\n", 50), true},
		"nothing but the words": {"How many times do people say sorry?", strings.Repeat("Sorry, I am looking into that for you now. ", 60), true},
		"digits":                {"Compute one seventh", "0." + strings.Repeat("142857", 200), true},
		"one digit":             {"Compute two thirds", "0." + strings.Repeat("6", 4000), true},
	} {
		if at := chantAt(tc.task, tc.answer); (at > 0) != tc.cut {
			t.Errorf("%s: cut at %d of %d", name, at, len(tc.answer))
		}
	}
}

// TestAnswerAfterARequestedRepetition: a chant behind it is still cut, and what is kept is
// all that comes before it.
func TestAnswerAfterARequestedRepetition(t *testing.T) {
	t.Parallel()
	wanted := strings.Repeat("I will not talk in class.\n", 30)
	answer := wanted + strings.Repeat("Let me know if you need anything else from me today. ", 40)
	g := NewChanting(agent.DefaultGuardSettings(), `Write "I will not talk in class" 30 times.`)
	v := g.Write(answer)
	if v.Level != agent.Pause || v.Keep < len(wanted) || v.Keep > len(wanted)+120 {
		t.Errorf("%s, %d of %d bytes kept", v.Level, v.Keep, len(wanted))
	}
}

func TestPrimitive(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "a": "a", "aaaa": "a", "abcabcab": "abc", "abcd": "abcd", "好的好的好": "好的"} {
		if got := primitive(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
