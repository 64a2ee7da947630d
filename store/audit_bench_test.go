package store_test

import (
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

func BenchmarkCheckAudit(b *testing.B) {
	path := auditLog(b, 0)
	s := open(b, path, agenttest.NewClock(), nil)
	const rows = 100_000
	check(b, s.AddAuditRows(rows, auditLine))
	b.ResetTimer()
	for range b.N {
		var c agent.AuditCheck
		check(b, store.CheckAudit(b.Context(), path, &c))
		if c.Last().Seq != rows {
			b.Fatal(c.Last().Seq)
		}
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkAddAudit(b *testing.B) {
	s := open(b, auditLog(b, 0), agenttest.NewClock(), nil)
	b.ResetTimer()
	check(b, s.AddAuditRows(b.N, auditLine))
}
