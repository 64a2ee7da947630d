package answer

import (
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/history"
)

// TestThoughtsInContent: reasoning between tags is reasoning, however the
// stream is cut, and tags that are only talked about are text.
func TestThoughtsInContent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, content, text, reasoning string }{
		{"between tags", "<think>Hm, 6*7.</think>\n\nIt is 42.", "It is 42.", "Hm, 6*7."},
		{"white space before", "\n <think>\nHm.\n</think>It is 42.", "It is 42.", "\nHm.\n"},
		{"nothing thought", "<think>\n\n</think>\n\nHello.", "Hello.", "\n\n"},
		{"only the closing tag", "Hm, 6*7.\nThat is easy.\n</think>\n\nIt is 42.", "It is 42.", "Hm, 6*7.\nThat is easy."},
		{"never closed", "<think>Hm, and then", "", "Hm, and then"},
		{"a tag in a sentence", "The tag <think> begins it, </think> ends it.", "The tag <think> begins it, </think> ends it.", ""},
		{"a tag in a code fence", "Look:\n```\n<think>\n</think>\n```\nThat is all.", "Look:\n```\n<think>\n</think>\n```\nThat is all.", ""},
		{"a closing tag with more on its line", "One\n</think> is a tag.", "One\n</think> is a tag.", ""},
		{"a second pair is text", "<think>a</think>b <think>c</think>", "b <think>c</think>", "a"},
		{"nearly a tag", "<thin ice", "<thin ice", ""},
		{"the beginning of one", "<thi", "<thi", ""},
		{"no tag", "a < b\nand b > c\n", "a < b\nand b > c\n", ""},
		{"empty", "", "", ""},
	} {
		for _, size := range []int{1, 2, 3, 7, len(tc.content) + 1} {
			var deltas []agent.Delta
			a := NewAccumulator(history.New(), NewOutput(func(d agent.Delta) error { deltas = append(deltas, d); return nil }), nil)
			for rest := tc.content; rest != ""; {
				n := min(size, len(rest))
				if err := a.addContent(rest[:n], true); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := a.addContent("", false); err != nil {
				t.Fatal(err)
			}
			text, reasoning := "", ""
			for _, d := range deltas {
				switch d.Kind {
				case agent.DeltaText:
					text += d.Text
				case agent.DeltaReasoning:
					reasoning += d.Text
				case agent.DeltaReset:
					text, reasoning = "", ""
				}
			}
			c := a.Completion()
			if text != tc.text || reasoning != tc.reasoning || c.Content != text || c.Reasoning != reasoning {
				t.Errorf("%s in pieces of %d: text %q, reasoning %q (completion %q, %q)", tc.name, size, text, reasoning, c.Content, c.Reasoning)
			}
		}
	}
}
