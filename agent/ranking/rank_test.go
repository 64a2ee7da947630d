package ranking_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/ranking"
)

// TestTheRightToolIsFirst: by parts of its name, by its description in any of the languages,
// and by its arguments; a term that all have decides nothing, and nothing is found by
// words that none has.
func TestTheRightToolIsFirst(t *testing.T) {
	t.Parallel()
	docs := func(rows ...[2]string) (out [][]ranking.Text) {
		for _, r := range rows {
			out = append(out, []ranking.Text{{Text: r[0], Weight: 4}, {Text: r[1], Weight: 1}})
		}
		return out
	}
	tools := docs(
		[2]string{"tickets__create_ticket", "Open a ticket for the support team"},
		[2]string{"tickets__listTickets", "All tickets of the support team, newest first"},
		[2]string{"crm__add_customer", "创建新的客户记录"},
		[2]string{"crm__find_invoice", "按编号查询发票和付款状态"},
		[2]string{"mail__send", "Send a message; takes recipient and subject"},
	)
	for query, want := range map[string][]int{
		"create a ticket":         {0, 1, 4}, // "a" is in the mail's text, too
		"LIST TICKETS":            {1, 0},
		"查一下发票":                   {3},
		"新客户":                     {2},
		"recipient":               {4},
		"quantum chromodynamics":  nil,
		"":                        nil,
		"send-mail to a customer": {4, 2, 0},
	} {
		if diff := cmp.Diff(want, ranking.Rank(query, tools)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}
