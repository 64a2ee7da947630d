package guards

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// BenchmarkCheck is one tool call judged by all detectors at a full window: of
// a run that works, and of runs that circle, where the detectors look closest.
func BenchmarkCheck(b *testing.B) {
	ten := distinct(10, "t:%d=same")
	for _, bc := range []struct {
		name  string
		calls []string
	}{
		{"working", distinct(64, "read:%d=text")},
		{"one poll that moves", distinct(64, "~poll:1=%d")},
		{"ping-pong that works", interleave(distinct(32, "edit:1=%d"), distinct(32, "build:2=%d"))},
		{"rounds of ten", repeat(64, ten...)},
		{"a dead loop", repeat(64, "a:1=x")},
	} {
		b.Run(bc.name, func(b *testing.B) {
			h := history(bc.calls...)
			all := All(agent.DefaultGuardSettings())
			b.ReportAllocs()
			for b.Loop() {
				for _, g := range all {
					g.Check(h)
				}
			}
		})
	}
}

// BenchmarkMemory prints what the guards of one run hold: its trace of 100
// calls, and the stream of a message.
func BenchmarkMemory(b *testing.B) {
	const runs = 200
	held := make([]*Replay, runs)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range held {
			held[i] = longRun()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/runs/1024, "KB/run")
		runtime.KeepAlive(held)
		clear(held)
	}
}

func longRun() *Replay {
	r := NewReplay(agent.DefaultGuardSettings(), agent.GuardConfig{}, anyTool, 0)
	for i := range 100 {
		r.Turn()
		r.Text("I shall look at the next file. ")
		r.Call(agent.ToolCall{
			Name: "read_file", Args: fmt.Sprintf(`{"path":"part%d.txt"}`, i), State: agent.CallSuccess, Result: fmt.Sprint("text ", i),
		})
	}
	return r
}

func anyTool(string) (agent.ToolSpec, bool) { return agent.ToolSpec{}, true }

// BenchmarkBacktest replays 10,000 stored calls under two setups.
func BenchmarkBacktest(b *testing.B) {
	var runs []agent.PastRun
	for n := range 250 {
		runs = append(runs, pastRun(n, 40))
	}
	now := Setup{Settings: agent.DefaultGuardSettings()}
	then, err := now.Changed(map[string]string{"guard.critical": "6"}, agent.ToolRule{Tool: "read_file", Volatile: []string{"at"}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		began := time.Now()
		t := Backtest{Now: now, Then: then, Tools: anyTool}
		for _, r := range runs {
			t.Add(r)
		}
		if t.Result.Calls != 10_000 {
			b.Fatal(t.Result.Calls)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/10k-calls")
	}
}

// pastRun is a stored run of n calls with results of a kilobyte.
func pastRun(id, n int) agent.PastRun {
	run := agent.PastRun{ID: fmt.Sprint(id), Steps: n}
	for i := range n {
		m := fmt.Sprint(i)
		run.Answers = append(run.Answers, agent.PastAnswer{MessageID: m, Content: "Now the next file."})
		result := fmt.Sprintf(`{"at":"2026-01-02T03:04:05Z","path":"part%d.txt","text":%q}`, i, fmt.Sprintf("%01000d", i))
		run.Calls = append(run.Calls, agent.ToolCall{
			MessageID: m, Step: i + 1, Name: "read_file", Args: fmt.Sprintf(`{"path":"part%d.txt"}`, i),
			State: agent.CallSuccess, Result: result, ResultHash: fingerprint.Result(result, nil),
		})
	}
	return run
}
