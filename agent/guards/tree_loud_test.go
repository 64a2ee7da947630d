package guards_test

import (
	"fmt"
	"testing"
)

// TestLoopsAcrossRuns: what no run would trip on by itself.
func TestLoopsAcrossRuns(t *testing.T) {
	t.Parallel()
	praise := []string{
		"A wonderful text, there is nothing that I would change in it.",
		"A wonderful text, there is really nothing that I would change in it.",
	}
	for _, tc := range []struct {
		name string
		play func(*forest)
		want []string
	}{
		{"two siblings in turns", func(f *forest) {
			f.delegate("root", "a", "scout").also("root", "b", "scribe")
			for range 4 {
				f.call("a", "read:x=one").call("b", "read:x=one")
			}
		}, []string{"warning tree_repeat 6 b", "warning tree_repeat 7 a", "critical tree_repeat 8 b"}},
		{"three siblings in rotation", func(f *forest) {
			f.delegate("root", "a", "scout").also("root", "b", "scout").also("root", "c", "scout")
			for range 4 {
				f.call("a", "read:x=one").call("b", "read:x=one").call("c", "read:x=one")
			}
		}, []string{"warning tree_repeat 6 b", "critical tree_repeat 9 c"}},
		{"children one after the other that find out nothing new", func(f *forest) {
			for i := range 8 {
				run := fmt.Sprint("scout", i)
				f.delegate("root", run, "scout").call(run, "read:x=one").call(run, "read:y=two").call(run, "look:z=three")
				f.end(run, fmt.Sprintf("In other words each time, %d: %s", i, []string{"it is one", "two, as I found", "see the third", "done"}[i%4]))
			}
		}, []string{"warning idle_delegation 5 root", "critical idle_delegation 8 root"}},
		{"the same answer to one task after the other", func(f *forest) {
			for i := range 8 {
				run := fmt.Sprint("sage", i)
				f.delegate("root", run, "sage").end(run, "I do not know more than that it is one.")
			}
		}, []string{"warning idle_delegation 5 root", "critical idle_delegation 8 root"}},
		{"a writer and a reviewer that praise each other", func(f *forest) {
			for i := range 4 {
				w, r := fmt.Sprint("w", i), fmt.Sprint("r", i)
				f.delegate("root", w, "writer").end(w, "Thank you, I am happy that you like my text so much. "+praise[i%2])
				f.delegate("root", r, "reviewer").end(r, praise[i%2])
			}
		}, []string{"warning idle_delegation 5 root", "critical idle_delegation 8 root"}},
		{"three that praise each other and look at the same text", func(f *forest) {
			for i := range 3 {
				for _, who := range []string{"writer", "reviewer", "editor"} {
					run := fmt.Sprint(who, i)
					f.delegate("root", run, who).call(run, "read:text=once").end(run, praise[i%2])
				}
			}
		}, []string{"warning idle_delegation 7 root", "critical idle_delegation 8 root"}},
		{"siblings that fail in the same way", func(f *forest) {
			f.delegate("root", "a", "smith")
			for _, run := range []string{"b", "c", "d"} {
				f.also("root", run, "smith")
			}
			for i := range 3 {
				for _, run := range []string{"a", "b", "c", "d"} {
					f.call(run, fmt.Sprintf("run:%s%d=no such host", run, i))
				}
			}
		}, []string{"warning tree_repeat 5 c", "warning tree_repeat 7 d", "critical tree_repeat 8 a"}},
		{"a parent and its children that repeat each other's call", func(f *forest) {
			for i := range 5 {
				run := fmt.Sprint("scout", i)
				f.call("root", "read:x=one").delegate("root", run, "scout").call(run, "read:x=one").end(run, fmt.Sprint("Answer number ", i))
			}
		}, []string{"warning tree_repeat 6 root", "critical tree_repeat 8 root"}},
		{"a chain of which each level makes the same call", func(f *forest) {
			above := "root"
			for _, run := range []string{"a", "b", "c"} {
				f.delegate(above, run, run+"-agent").call(run, "read:x=one").call(run, "read:x=one").call(run, "read:x=one")
				above = run
			}
		}, []string{"warning tree_repeat 5 b", "critical tree_repeat 8 c"}},
		{"a task that is handed over as it was, again and again", func(f *forest) {
			f.same = true
			for i := range 8 {
				run := fmt.Sprint("scout", i)
				f.delegate("root", run, "scout").call(run, "read:x=one").end(run, "It is one.")
			}
		}, []string{"warning generic_repeat 5 root", "critical generic_repeat 8 root"}},
		{"a file that is written to and fro by one child after the other", func(f *forest) {
			for i := range 10 {
				run := fmt.Sprint("scribe", i)
				f.delegate("root", run, "scribe").call(run, fmt.Sprintf("write:x to %d=ok", i%2)).end(run, "I have changed it.")
			}
		}, []string{"warning idle_delegation 5 root", "critical idle_delegation 8 root"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := plant()
			tc.play(f)
			f.expect(t, tc.want...)
		})
	}
}
