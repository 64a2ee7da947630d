package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// TestBreakersOfWork: a run that checks after each edit is left alone; one that only looks
// between its checks, orders again and again, falls into a few sentences, or chants in a
// call's arguments is paused.
func TestBreakersOfWork(t *testing.T) {
	t.Parallel()
	h := startInstance(t)
	check := sh("test -d . && echo ok")
	write := func(name, content string) asked {
		return asked{"write_file", fmt.Sprintf(`{"path":%q,"content":%q}`, name, content)}
	}
	rounds := func(n int, calls func(i int) []asked) (turns [][]asked) {
		for i := range n {
			for _, c := range calls(i) {
				turns = append(turns, []asked{c})
			}
		}
		return turns
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var few strings.Builder
	for range 900 {
		few.WriteString([]string{"I'll send this.\n", "I'll be ready for the next command.\n", "I'll do it.\n", "I'll wait.\n", "I'll be quiet.\n"}[rnd.IntN(5)])
	}
	for _, tc := range []struct {
		name  string
		turns [][]asked
		rule  string // of the evidence, or the detector
	}{
		{"a check after each edit", rounds(12, func(i int) []asked { return []asked{write(fmt.Sprintf("f%d.txt", i), fmt.Sprint("part ", i)), check} }), ""},
		{"a check after each look", rounds(9, func(i int) []asked { return []asked{sh(fmt.Sprintf("ls -a . | head -%d", i+1)), check} }), "no_progress"},
		{"a check after one edit and its opposite", rounds(12, func(i int) []asked { return []asked{write("f.txt", fmt.Sprint(i%2)), check} }), "nothing_new"},
		{"orders with a number each", rounds(9, func(int) []asked { return []asked{sh("date +%N | tee -a orders")} }), "generic_repeat"},
		{"a look whose result moves", rounds(9, func(int) []asked { return []asked{sh("date +%N")} }), ""},
		{"a few sentences in any order", [][]asked{{{"", few.String()}}}, "sentences"},
		{"arguments that chant", [][]asked{{write("a.txt", strings.Repeat("I will write the next part now.\n", 400))}}, "arguments"},
		{"equal rows in a file", [][]asked{{write("a.csv", strings.Repeat("garden,open,no one knows\n", 400))}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := h.as(t)
			run := h.chatIn(t, h.root(), "yolo", tc.turns...)
			if tc.rule == "" {
				if v := h.root().rests(run); v["status"] != "finished" {
					t.Errorf("the run is %v: %v", v["status"], h.cards(run))
				}
				return
			}
			card := h.card(t, run)
			ev := evidenceOf(card)
			if card["kind"] != "loop" || ev["detector"] != tc.rule && ev["rule"] != tc.rule {
				t.Errorf("%v: %v", card["kind"], ev)
			}
			if status, said := decides(h.root(), card, `{"decision":"abort"}`); status != http.StatusOK {
				t.Errorf("%d %v", status, said)
			}
		})
	}
}
