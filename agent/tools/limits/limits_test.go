package limits

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// silent is for calls whose waits nobody is told of.
func silent(Limit) {}

// TestPlaces: no more calls are at work than allowed, the first that waits is the next, and
// a call that waits too long or is cancelled gives up without a place.
func TestPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New([]Limit{{Name: "fetch", Parallel: 1}, {Name: "mcp:files", Parallel: 2}})
		leave, err := l.Enter(t.Context(), "fetch", "builtin", silent)
		if err != nil {
			t.Fatal(err)
		}
		var order []int
		for i := range 2 {
			go func() {
				told := 0
				leave, err := l.Enter(t.Context(), "fetch", "builtin", func(Limit) { told++ })
				if err != nil || told != 1 {
					t.Errorf("call %d: %v, told %d times", i, err, told)
					return
				}
				order = append(order, i)
				time.Sleep(time.Second)
				leave()
			}()
			synctest.Wait()
		}
		if other, err := l.Enter(t.Context(), "other", "mcp:files", silent); err != nil {
			t.Errorf("a call of another tool waits: %v", err)
		} else {
			other()
		}
		leave()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if len(order) != 2 || order[0] != 0 {
			t.Errorf("they got their places in the order %v", order)
		}

		leave, err = l.Enter(t.Context(), "fetch", "builtin", silent)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var full *FullError
		if _, err := l.Enter(t.Context(), "fetch", "builtin", silent); !errors.As(err, &full) || full.Limit.Name != "fetch" || time.Since(began) != MaxWait {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := l.Enter(ctx, "fetch", "builtin", silent); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		leave()
		if leave, err = l.Enter(t.Context(), "fetch", "builtin", silent); err != nil {
			t.Errorf("those that gave up keep a place: %v", err)
		} else {
			leave()
		}
	})
}

// TestPace: calls begin evenly spaced, and one whose turn would come too late does not wait.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New([]Limit{{Name: "search", PerMinute: 2}})
		began := time.Now()
		for i := range 3 {
			leave, err := l.Enter(t.Context(), "search", "builtin", silent)
			if err != nil {
				t.Fatal(err)
			}
			leave()
			if got, want := time.Since(began), time.Duration(i)*30*time.Second; got != want {
				t.Errorf("call %d began after %s, want %s", i, got, want)
			}
		}
		for range 2 {
			go func() {
				if leave, err := l.Enter(t.Context(), "search", "builtin", silent); err == nil {
					leave()
				}
			}()
			synctest.Wait()
		}
		at := time.Now()
		var full *FullError
		if _, err := l.Enter(t.Context(), "search", "builtin", silent); !errors.As(err, &full) || time.Since(at) != 0 {
			t.Errorf("after %s: %v", time.Since(at), err)
		}
		time.Sleep(2 * time.Minute)
	})
}

// BenchmarkNoLimit is what a call pays for limits of others, and for none at all.
func BenchmarkNoLimit(b *testing.B) {
	for name, l := range map[string]*Limits{"none": New(nil), "others": New([]Limit{{Name: "other", Parallel: 1}})} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				leave, err := l.Enter(b.Context(), "fetch", "builtin", silent)
				if err != nil {
					b.Fatal(err)
				}
				leave()
			}
		})
	}
}
