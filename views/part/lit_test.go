package part

import "testing"

func TestLit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		used, limit int64
		want        int
	}{{0, 8, 0}, {1, 1_000_000, 1}, {5, 8, 5}, {7, 8, 7}, {999, 1000, 7}, {8, 8, 8}, {9, 8, 8}, {3, 0, 0}, {-1, 8, 0}} {
		if got := Lit(row.used, row.limit); got != row.want {
			t.Errorf("Lit(%d, %d) = %d, want %d", row.used, row.limit, got, row.want)
		}
	}
}
