package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fusebox/agent"
	"fusebox/agent/telemetry"
)

// TestDatabaseIsCheckedDaily: at the start, once a day from then on, and no more when
// the server ends. What one check found is gone once the next one finds nothing.
func TestDatabaseIsCheckedDaily(t *testing.T) {
	t.Parallel()
	metrics := telemetry.NewMetrics(agent.SystemClock{}, slog.New(slog.DiscardHandler), "test")
	synctest.Test(t, func(t *testing.T) {
		var checks atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		d := &databaseCheck{metrics: metrics, log: slog.New(slog.DiscardHandler), checks: []func(context.Context) ([]string, error){
			func(context.Context) ([]string, error) {
				if checks.Add(1) == 2 {
					return []string{"a page is damaged"}, nil
				}
				return nil, nil
			},
		}}
		go d.run(ctx)
		for day, want := range []string{"", "a page is damaged", ""} {
			synctest.Wait()
			if checks.Load() != int64(day+1) || d.Fault() != want {
				t.Errorf("on day %d there were %d checks, the last found %q, not %q", day, checks.Load(), d.Fault(), want)
			}
			time.Sleep(24*time.Hour - time.Second)
			synctest.Wait()
			if checks.Load() != int64(day+1) {
				t.Errorf("on day %d there were %d checks", day, checks.Load())
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		stop()
		synctest.Wait()
		done := checks.Load()
		time.Sleep(48 * time.Hour)
		if checks.Load() != done {
			t.Error("it was checked after the end")
		}
	})
}
