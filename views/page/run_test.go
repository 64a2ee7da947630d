package page

import (
	"strings"
	"testing"

	"fusebox/views/layout"
)

// TestRunLeadsToItsApprovals: a run that waits for many decisions leads to the first, and
// says how many there are, instead of as many buttons that are called the same.
func TestRunLeadsToItsApprovals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		approvals []string
		want      string
	}{
		{nil, ""}, {[]string{"a1"}, "Decide"}, {[]string{"a1", "a2", "a3"}, "Decide (3)"},
	} {
		var out strings.Builder
		if err := Run(layout.Props{Assets: func(name string) string { return name }}, RunProps{Approvals: row.approvals}).Render(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		html := out.String()
		if got := strings.Count(html, `href="/approvals/a`); got != min(len(row.approvals), 1) {
			t.Errorf("%d links to %d approvals", got, len(row.approvals))
		}
		if row.want != "" && !strings.Contains(html, `href="/approvals/a1">`+row.want+"<") {
			t.Errorf("%d approvals: no link %q", len(row.approvals), row.want)
		}
	}
}
