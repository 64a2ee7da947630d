package loop

import (
	"math"
	"slices"

	"fusebox/agent"
)

// streamCut ends a stream that a guard does not want to continue.
type streamCut struct{ verdict agent.Verdict }

func (c *streamCut) Error() string { return "the stream was cut: " + c.verdict.Message }

// streamWatch are the guards that read a message along while it is streamed:
// those of the text, of the reasoning, and of the arguments of its calls, each made
// when it begins.
type streamWatch struct {
	make                func(of agent.DeltaKind) []agent.StreamGuard
	off                 []string // guards that are switched off
	onText, onReasoning []agent.StreamGuard
	onArgs              []agent.StreamGuard
	call                string          // the id of the call whose arguments they read
	muted               []agent.Verdict // of guards that are switched off
}

// read shows a delta to the guards of the stream and cuts it where one trips.
func (w *streamWatch) read(d agent.Delta) error {
	var v agent.Verdict
	switch d.Kind {
	case agent.DeltaText:
		w.onReasoning = nil // it is over: what it kept is free
		if w.onText == nil {
			w.onText = w.make(d.Kind)
		}
		v = w.hear(w.onText, d.Text)
	case agent.DeltaReasoning:
		if w.onReasoning == nil {
			w.onReasoning = w.make(d.Kind)
		}
		if v = w.hear(w.onReasoning, d.Text); v.Level > agent.Pass {
			v.Keep = math.MaxInt // it is the reasoning that repeats: all of the text stays
		}
	case agent.DeltaCallStart:
		for _, g := range slices.Concat(w.onText, w.onReasoning) {
			g.Reset()
		}
	case agent.DeltaCallArgs:
		if v = w.hear(w.argumentsOf(d.CallID), d.Text); v.Level > agent.Pass {
			v.Keep = math.MaxInt // all of the text stays
		}
	case agent.DeltaRetry, agent.DeltaReset, agent.DeltaFallback, agent.DeltaNotice:
	}
	if v.Level == agent.Pass {
		return nil
	}
	return &streamCut{verdict: v}
}

// argumentsOf are the guards of the arguments of a call; they forget those of another one.
func (w *streamWatch) argumentsOf(call string) []agent.StreamGuard {
	if w.onArgs == nil {
		w.onArgs = w.make(agent.DeltaCallArgs)
	} else if w.call != call {
		for _, g := range w.onArgs {
			g.Reset()
		}
	}
	w.call = call
	return w.onArgs
}

// hear asks the guards of one stream. One that is switched off is noted only.
func (w *streamWatch) hear(guards []agent.StreamGuard, text string) agent.Verdict {
	var worst agent.Verdict
	for _, g := range guards {
		v := g.Write(text)
		switch {
		case v.Level == agent.Pass:
		case slices.Contains(w.off, g.Name()):
			w.muted = append(w.muted, v)
		case v.Level > worst.Level:
			worst = v
		}
	}
	return worst
}
