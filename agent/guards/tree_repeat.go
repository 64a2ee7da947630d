package guards

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// treeRepeat catches several runs of a tree that make one call with one result, or that fail
// alike with one tool, where each by itself stays below its own numbers. Each run may make a
// call once for itself, although others made it before. Calls of other runs count where they
// made it more than once, or ended without finding out anything else. Counting starts at the
// newest change; changes by runs at work beside the judged one are ignored, and so are polling
// tools. The numbers are guard.warning, guard.critical, and guard.breaker, the last one call
// later for each further run that takes part.
type treeRepeat struct{ warn, pause, stop int }

func (treeRepeat) Name() string { return "tree_repeat" }

func (g treeRepeat) Check(h *agent.History) agent.Verdict {
	if h.Tree == nil || h.Next == nil || h.Next.Polling || agent.Tells(h.Next.Tool) {
		return agent.Verdict{}
	}
	shared := sharing{tree: h.Tree, next: h.Next}
	failing := sharing{tree: h.Tree, next: h.Next, failing: true}
	runs, how, key := shared.streak(), "with the same arguments and the same result", callKey(h.Next)
	if f := failing.streak(); total(f) > total(runs) {
		runs, how, key = f, "and failed in the same way each time", h.Next.Tool+":error"
	}
	count := total(runs)
	warn, pause := moved(h, g.warn, g.pause)
	lvl, threshold := level(count, warn, pause)
	if stop := later(g.stop, len(runs)-1+h.Allowed); stop > 0 && count >= stop {
		lvl, threshold = agent.Stop, stop
	}
	if lvl == agent.Pass || len(runs) < 2 {
		return agent.Verdict{}
	}
	v := agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: key, Count: count, Threshold: threshold, Reason: agent.StopLoop,
		Message: fmt.Sprintf("%s was called %d times by %d runs (%s) %s.", h.Next.Tool, count, len(runs), whose(runs), how),
	}
	v.Calls, v.Among = among(h, runs)
	return v
}

// part is what one run has in a streak: how many calls, and where they are in the tree,
// newest first. Next is counted where it repeats the others; whether it fails is not known.
type part struct {
	runID, agent string
	size         int
	calls        []int
	closed       bool
}

func total(parts []*part) (n int) {
	for _, p := range parts {
		n += p.size
	}
	return n
}

// sharing looks for the calls of a tree that repeat Next, or that fail as its run's newest
// call of the tool did.
type sharing struct {
	tree    *agent.Tree
	next    *agent.CallRecord
	failing bool
	// like is the failed call that others are compared with.
	like *agent.CallRecord
}

// streak lists the runs that have a part in what Next repeats, its own last; nil for a call
// that repeats nothing.
func (s *sharing) streak() []*part {
	own := &part{runID: s.tree.RunID, agent: s.tree.Agent}
	if s.failing && !s.fails() {
		return nil
	}
	others := s.collect(own)
	if len(own.calls) == 0 {
		return nil // what others know a run has to find out for itself
	}
	if !s.failing {
		own.size++
	}
	others = slices.DeleteFunc(others, func(p *part) bool { return !s.counts(p) })
	return append(others, own)
}

// counts reports whether what another run has in a streak is more than finding out for itself: a
// run above the one that is judged may make the same call once, any other run twice.
func (s *sharing) counts(p *part) bool {
	switch {
	case s.failing, s.tree.Above(p.runID):
		return p.size > 1
	case s.tree.Beside(p.runID, s.tree.RunID):
		return p.size > 2
	default:
		return p.size > 2 || s.tree.Idle(p.runID)
	}
}

// fails reports whether the newest call of Next's tool in its run has failed.
func (s *sharing) fails() bool {
	for i := len(s.tree.Calls) - 1; i >= 0; i-- {
		c := &s.tree.Calls[i]
		if c.RunID == s.tree.RunID && c.Tool == s.next.Tool && c.Result != "" {
			s.like = &c.CallRecord
			return c.Failed
		}
	}
	return false
}

// collect goes back over the tree to the newest change, or the newest other result.
func (s *sharing) collect(own *part) (others []*part) {
	result := ""
	for i := len(s.tree.Calls) - 1; i >= 0; i-- {
		c := &s.tree.Calls[i]
		p := own
		if c.RunID != own.runID {
			if p = find(others, c.RunID); p == nil {
				p = &part{runID: c.RunID, agent: c.Agent}
				others = append(others, p)
			}
		}
		switch {
		case p.closed:
		case s.match(c) && !s.failing && !kept(c.Result, result):
			return others
		case s.match(c):
			p.calls, p.size = append(p.calls, i), p.size+1
			if c.Result != "" {
				result = c.Result
			}
		case !s.breaks(c):
		case p == own || !s.tree.Beside(c.RunID, own.runID):
			return others
		default:
			p.closed = true
		}
	}
	return others
}

func find(parts []*part, runID string) *part {
	if i := slices.IndexFunc(parts, func(p *part) bool { return p.runID == runID }); i >= 0 {
		return parts[i]
	}
	return nil
}

func (s *sharing) match(c *agent.TreeRecord) bool {
	if s.failing {
		return c.Failed && !c.Blocked && failAlike(&c.CallRecord, s.like)
	}
	return c.Same(s.next) && !c.Polling
}

// breaks reports whether what comes behind a call may be different.
func (s *sharing) breaks(c *agent.TreeRecord) bool {
	return c.Progress || s.failing && c.Tool == s.next.Tool && c.Succeeded
}

// whose are the agents of some runs, each once; a root that works by none is main.
func whose(parts []*part) string {
	var names []string
	for _, p := range parts {
		name := cmp.Or(p.agent, "main")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// among lists the calls of a streak: those of the run that is judged by their positions, and
// all of them in the order of the tree.
func among(h *agent.History, parts []*part) (own []int, all []agent.CallID) {
	var places []int
	for _, p := range parts {
		places = append(places, p.calls...)
	}
	slices.Sort(places)
	for _, i := range places {
		c := &h.Tree.Calls[i]
		if c.RunID == h.Tree.RunID {
			own = append(own, c.N)
		}
		all = append(all, c.ID())
	}
	return append(own, h.Next.N), append(all, agent.CallID{RunID: h.Tree.RunID, CallID: h.Next.CallID})
}
