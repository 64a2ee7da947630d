package provider

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/streamtest"
	"fusebox/agent/provider/wire"
)

// outcome is all that can be seen of a body that was read.
type outcome struct {
	deltas     []agent.Delta
	completion agent.Completion
	told       wire.Figures
	unfinished int
	err        string
}

// read reads a body without a connection.
func (f fixture) read(body io.Reader) outcome {
	w := &watcher{}
	past := history.New()
	past.Repair(f.request())
	acc := answer.NewAccumulator(past, answer.NewOutput(w.sink), f.request().Tools)
	dog := &watchdog{clock: agenttest.NewClock(), wake: make(chan struct{}, 1)}
	s, err := wire.Open(body, dog.sawData)
	if err == nil {
		err = acc.Read(s, dog.sawFinish)
	}
	o := outcome{deltas: w.deltas, completion: acc.Completion(), told: acc.Told(), unfinished: acc.Unfinished()}
	if err != nil {
		o.err = err.Error()
	}
	return o
}

// splits are the places at which a body is split. Nothing here runs beside
// anything else, so the race detector, which is slow, gets fewer of them.
func (f fixture) splits() (list []int) {
	step := 1
	if len(f.Body) >= small {
		step = max(len(f.Body)/tries, len(f.Body)*len(f.Body)/work)
	}
	if !agenttest.Full() {
		step *= 31
	} else if raceDetector {
		step *= 11
	}
	for at := 0; at <= len(f.Body); at += step {
		list = append(list, at)
	}
	return append(list, len(f.Body)/2)
}

// TestFixturesRechunked: where the network cuts a body into pieces, inside a
// rune or a line end too, makes no difference.
func TestFixturesRechunked(t *testing.T) {
	t.Parallel()
	for _, f := range allFixtures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			want := f.read(strings.NewReader(f.Body))
			for _, at := range f.splits() {
				got := f.read(io.MultiReader(strings.NewReader(f.Body[:at]), strings.NewReader(f.Body[at:])))
				if !reflect.DeepEqual(want, got) {
					t.Fatalf("split at %d, behind %s: %s, want %s", at, brief(f.Body[max(0, at-20):at]), brief(got.err+got.completion.Content), brief(want.err+want.completion.Content))
				}
			}
		})
	}
}

// cuts are the places at which a body is cut: all of them, or the few that are asked for.
func (f fixture) cuts() (list []int) {
	for i, at := range f.allCuts() {
		if agenttest.Full() || i%5 == 0 {
			list = append(list, at)
		}
	}
	return list
}

// allCuts are the places behind an event, and before anything that says that the
// answer is whole; in a body that is one JSON value, anywhere inside it.
func (f fixture) allCuts() (list []int) {
	if strings.HasPrefix(strings.TrimSpace(f.Body), "{") {
		for i := 0; i < len(strings.TrimRight(f.Body, "\r\n ")); i += 1 + len(f.Body)/50 {
			list = append(list, i)
		}
		return list
	}
	list = append(list, 0)
	for _, blank := range []string{"\n\n", "\r\r", "\r\n\r\n"} {
		for at := 0; ; {
			i := strings.Index(f.Body[at:], blank)
			if at += i + len(blank); i < 0 || saysItsEnd(f.Body[:at]) {
				break
			}
			list = append(list, at)
		}
	}
	return list
}

// saysItsEnd reports whether a finish reason or the end mark is in a body.
func saysItsEnd(body string) bool {
	reasons := strings.Count(body, `"finish_reason":"`) - strings.Count(body, `"finish_reason":""`)
	return reasons > 0 || strings.Contains(body, streamtest.Done)
}

// TestFixturesCut: an answer that was cut is not a success, and nothing of it is run.
func TestFixturesCut(t *testing.T) {
	t.Parallel()
	for _, f := range allFixtures() {
		if f.Want.Err != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, at := range f.cuts() {
				got, _, err := f.ask(t, raw(f.Body[:at]))
				if err == nil || len(got.Calls) > 0 {
					t.Errorf("cut at %d, behind %s: %v, calls %+v", at, brief(f.Body[max(0, at-40):at]), err, got.Calls)
				}
			}
		})
	}
}
