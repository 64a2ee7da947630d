package agent

import "slices"

// maxTrips bounds what a run remembers of its streaks; the oldest go first.
const maxTrips = 100

// Trip is how far a streak has come, so that each level speaks once. A streak
// whose count falls, or that shares no call with the one before, has started over:
// it is warned about again, and if a person had to decide before, it begins at
// that level.
type Trip struct {
	Detector string `json:"detector"`
	Key      string `json:"key"`
	Level    Level  `json:"level"`
	Count    int    `json:"count"`
	// Last is the N of the newest call that it was about.
	Last int `json:"last,omitempty"`
	// Off marks what a detector that is switched off would have said.
	Off bool `json:"off,omitempty"`
}

// Trips are a run's streaks, the newest last.
type Trips []Trip

// note takes v in and returns it as it is to be heard; Pass where it says
// nothing new.
func (ts *Trips) note(v Verdict, off bool) Verdict {
	i := slices.IndexFunc(*ts, func(t Trip) bool { return t.Detector == v.Detector && t.Key == v.Key && t.Off == off })
	if i < 0 {
		ts.add(Trip{Detector: v.Detector, Key: v.Key, Level: v.Level, Count: v.Count, Last: v.last(), Off: off})
		return v
	}
	t := &(*ts)[i]
	began, reached := v.Count < t.Count || v.first() > t.Last, t.Level
	t.Count, t.Last = v.Count, v.last()
	t.Level = max(reached, v.Level)
	switch {
	case v.Level == Stop, v.Level > reached:
		return v
	case began && v.Level > Pass:
		v.Level = max(v.Level, reached) // a relapse
		return v
	default:
		return Verdict{}
	}
}

func (ts *Trips) add(t Trip) {
	*ts = append(*ts, t)
	*ts = (*ts)[max(len(*ts)-maxTrips, 0):]
}

// first and last are the calls of a streak, 0 where it is about none.
func (v Verdict) first() int {
	if len(v.Calls) == 0 {
		return 0
	}
	return v.Calls[0]
}

func (v Verdict) last() int {
	if len(v.Calls) == 0 {
		return 0
	}
	return v.Calls[len(v.Calls)-1]
}

// Reached notes that a person has decided about a streak up to position last.
func (ts *Trips) Reached(detector, key string, last int) {
	i := slices.IndexFunc(*ts, func(t Trip) bool { return t.Detector == detector && t.Key == key && !t.Off })
	if i < 0 {
		ts.add(Trip{Detector: detector, Key: key, Level: Pause, Last: last})
		return
	}
	(*ts)[i].Level, (*ts)[i].Last = Pause, last
}

// Forget restarts the streaks of some calls, for calls that a person has allowed.
func (ts *Trips) Forget(about func(Trip) bool) { *ts = slices.DeleteFunc(*ts, about) }

// Assessment is what all guards say of one History.
type Assessment struct {
	// Worst is the most severe verdict that has something new to say, Others
	// are those that saw something too.
	Worst  Verdict
	Others []Verdict
	// Continuing is the most severe verdict on a streak that goes on and says nothing new.
	Continuing Verdict
	// Muted are what detectors that are switched off would have said; Spared
	// are suspicious streaks that did not trip, with the reason.
	Muted, Spared []Verdict
}

// Assess asks all guards, the most severe first where several are equally
// severe. It notes in trips how far each streak has come.
func Assess(guards []Guard, off []string, trips *Trips, h *History) Assessment {
	var a Assessment
	for _, g := range guards {
		a.Observe(g.Check(h), trips, off)
	}
	return a
}

// Observe takes one verdict in.
func (a *Assessment) Observe(v Verdict, trips *Trips, off []string) {
	switch {
	case v.Level == Pass && v.Spared == "":
		return
	case v.Level == Pass:
		a.Spared = append(a.Spared, v)
		return
	}
	muted, seen := slices.Contains(off, v.Detector), v
	if v = trips.note(v, muted); v.Level == Pass {
		if !muted && seen.Level > a.Continuing.Level {
			a.Continuing = seen
		}
		return
	}
	switch {
	case muted:
		a.Muted = append(a.Muted, v)
	case v.Level > a.Worst.Level:
		if a.Worst.Level > Pass {
			a.Others = append(a.Others, a.Worst)
		}
		a.Worst = v
	default:
		a.Others = append(a.Others, v)
	}
}
