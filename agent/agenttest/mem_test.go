package agenttest_test

import (
	"testing"

	"fusebox/agent/agenttest"
)

func TestMemJournal(t *testing.T) {
	t.Parallel()
	agenttest.TestJournal(t, func(_ *testing.T, clock *agenttest.Clock) agenttest.Journal {
		return agenttest.NewMemJournal(clock)
	})
}
