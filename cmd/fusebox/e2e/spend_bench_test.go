package e2e

import (
	"compress/gzip"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"fusebox/store/storetest"
)

// benchInstance is the real program with a million lines in the year that ends today.
func benchInstance(b *testing.B) (a api, file string, end time.Time) {
	b.Helper()
	p := startProgram(b, b.TempDir(), withAdmin()...)
	y, m, d := time.Now().UTC().Date()
	end = time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
	file = filepath.Join(p.data, "fusebox.db")
	if err := storetest.Year(end).Fill(b.Context(), file); err != nil {
		b.Fatal(err)
	}
	return p.admin(), file, end
}

// BenchmarkSpendPage gets the page over HTTP, over a year, the last 30 days and
// the month so far with its forecast; it also tells how large the page is.
func BenchmarkSpendPage(b *testing.B) {
	a, file, end := benchInstance(b)
	b.Run("ScanOfLines", func(b *testing.B) { scanLines(b, file) })
	day := func(ago int) string { return end.AddDate(0, 0, -ago).Format(time.DateOnly) }
	for name, query := range map[string]string{
		"Year": "from=" + day(365) + "&to=" + day(1), "YearBerlin": "tz=Europe/Berlin&from=" + day(365) + "&to=" + day(1),
		"30Days": "from=" + day(30) + "&to=" + day(1), "Month": "", "MonthKolkata": "tz=Asia/Kolkata",
	} {
		b.Run(name, func(b *testing.B) {
			a.t = b
			var size int
			for b.Loop() {
				status, raw := a.call(http.MethodGet, "/admin/spend?"+query, "")
				if size = len(raw); status != http.StatusOK {
					b.Fatalf("%d %s", status, raw)
				}
			}
			_, raw := a.call(http.MethodGet, "/admin/spend?"+query, "")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/page")
			b.ReportMetric(float64(size), "bytes")
			b.ReportMetric(float64(zipped(b, raw)), "gzip-bytes")
		})
	}
}

// scanLines adds the lines themselves up by day and model, to compare with.
func scanLines(b *testing.B, file string) {
	b.Helper()
	db, err := sql.Open("sqlite3", "file:"+file+"?mode=ro")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for b.Loop() {
		var days int64
		err := db.QueryRowContext(b.Context(), `SELECT COUNT(*) FROM (SELECT ended_at / 86400000, model, SUM(input_tokens), SUM(cost_micros) FROM usage GROUP BY 1, 2)`).Scan(&days)
		if err != nil || days == 0 {
			b.Fatalf("%d days, %v", days, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/scan")
}

// zipped is how large something is on the wire.
func zipped(b *testing.B, raw []byte) int {
	b.Helper()
	var n counter
	w := gzip.NewWriter(&n)
	if _, err := fmt.Fprintf(w, "%s", raw); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return int(n)
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
