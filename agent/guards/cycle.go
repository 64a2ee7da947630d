package guards

import (
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// cycle catches calls that go round: the newest of them repeat a period of 3
// to 10 calls, wherever in it the history begins, with the same results. From
// the fourth period on, one call of each period may differ, because a model
// that circles likes to look at something else on its way; the call that is
// judged is never that one, so that a new call alone does not trip. It leaves
// alone periods of one or two calls, which genericRepeat and pingPong judge,
// periods with a polling tool, and rounds in which more than one call is new or
// has a new result, or the new one changes something: going through files with three
// tools is work. It looks
// beyond the window, as far as five periods of ten calls. Its numbers are
// guard.cycle_warning and guard.cycle_critical, counted in periods.
type cycle struct{ warn, pause int }

func (cycle) Name() string { return "cycle" }

const (
	minPeriod = 3
	maxPeriod = 10
	// tolerantFrom is from which period on one call may differ.
	tolerantFrom = 4
)

func (g cycle) Check(h *agent.History) agent.Verdict {
	if h.Next == nil || h.Next.Polling {
		return agent.Verdict{}
	}
	for p := minPeriod; p <= maxPeriod && len(h.Calls) >= 2*p-1; p++ {
		r := ring{history: h, period: p}
		if !r.alike(0, p) || r.smaller() {
			continue
		}
		count := r.count()
		lvl, threshold := level(count, later(g.warn, h.Allowed), later(g.pause, h.Allowed))
		if lvl == agent.Pass || slices.ContainsFunc(r.usual[:p], func(i int) bool { return r.at(i).Polling }) {
			continue
		}
		var calls []int
		for i := count*p - 1; i >= 0; i-- {
			calls = append(calls, r.at(i).N)
		}
		return agent.Verdict{
			Level: lvl, Detector: g.Name(), Key: r.key(), Count: count, Threshold: threshold, Calls: calls, Reason: agent.StopLoop,
			Message: fmt.Sprintf("%d calls (%s) repeated %d times as a cycle, and nothing changed.", p, r.names(), count),
		}
	}
	return agent.Verdict{}
}

// ring reads a history backwards in periods; position 0 is the call that is judged.
type ring struct {
	history *agent.History
	period  int
	// usual is the position of the call that most periods have in each place;
	// free places have another call in each period.
	usual [maxPeriod]int
	free  [maxPeriod]bool
}

func (r *ring) len() int { return len(r.history.Calls) + 1 }

func (r *ring) at(i int) *agent.CallRecord { return fromEnd(r.history, i) }

// alike reports whether two positions have the same call with the same result.
func (r *ring) alike(i, j int) bool {
	a, b := r.at(i), r.at(j)
	return a.Same(b) && kept(a.Result, b.Result)
}

// smaller reports whether the newest period repeats one or two calls only.
func (r *ring) smaller() bool {
	for _, p := range []int{1, 2} {
		i := 0
		for i < r.period && r.at(i).Same(r.at(i+p)) {
			i++
		}
		if i == r.period {
			return true
		}
	}
	return false
}

// count is how many periods the newest calls repeat: exactly, or, where that
// makes enough of them, with one call that differs in each.
func (r *ring) count() int {
	for place := range r.period {
		r.usual[place] = place
	}
	exact := r.period
	for exact < r.len() && r.alike(exact, exact-r.period) {
		exact++
	}
	whole := exact / r.period
	for n := min(r.len()/r.period, maxPeriods); n >= tolerantFrom && n > whole; n-- {
		if r.tolerable(n) {
			return n
		}
	}
	return whole
}

// maxPeriods bounds how far back a cycle is followed.
const maxPeriods = 6

// tolerable reports whether in each of the newest n periods at most one call
// differs from the call in the same place of most periods, and did nothing new.
func (r *ring) tolerable(n int) bool {
	usual, free := r.usual, r.free
	for place := range r.period {
		var votes int
		usual[place], votes = r.favourite(place, n)
		free[place] = votes == 1
	}
	if free[0] || !r.alike(0, usual[0]) {
		return false
	}
	for k := range n {
		differing := 0
		for place := range r.period {
			i := place + k*r.period
			alike, c := r.alike(i, usual[place]), r.at(i)
			if c.Progress && (!alike || c.Delegation != nil) { // an equal task has changed something each time
				return false
			}
			if !alike {
				differing++
			}
		}
		if differing > 1 {
			return false
		}
	}
	r.usual, r.free = usual, free
	return true
}

// favourite is the position of the call that most of n periods have in one place,
// and how many that are.
func (r *ring) favourite(place, n int) (best, most int) {
	for a := range n {
		votes := 0
		for b := range n {
			if r.alike(place+a*r.period, place+b*r.period) {
				votes++
			}
		}
		if votes > most {
			best, most = place+a*r.period, votes
		}
	}
	return best, most
}

// key is the same wherever in the period the newest call is.
func (r *ring) key() string {
	var keys []string
	for place, i := range r.usual[:r.period] {
		if r.free[place] {
			keys = append(keys, "*")
			continue
		}
		keys = append(keys, callKey(r.at(i)))
	}
	slices.Sort(keys)
	return strings.Join(keys, "|")
}

// names lists the tools of the period once each, in the order of the calls.
func (r *ring) names() string {
	var names []string
	for place := r.period - 1; place >= 0; place-- {
		if tool := r.at(r.usual[place]).Tool; !slices.Contains(names, tool) {
			names = append(names, tool)
		}
	}
	return strings.Join(names, ", ")
}
