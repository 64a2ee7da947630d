package agent

import (
	"slices"
	"time"
)

// Level is how severe a verdict is.
type Level int

// The levels, in rising order.
const (
	Pass  Level = iota
	Warn        // a reminder joins the next model request
	Pause       // the call is blocked, a person decides
	Stop        // the run ends, whatever was approved before
)

// String returns the level as events name it.
func (l Level) String() string {
	switch l {
	case Warn:
		return "warning"
	case Pause:
		return "critical"
	case Stop:
		return "breaker"
	default:
		return "pass"
	}
}

// MinHistory is the smallest number of calls a History keeps, if there are as many:
// what the longest cycle needs, six periods of ten calls.
const MinHistory = 64

// beyondCritical is how many calls behind the critical threshold the breaker needs.
const beyondCritical = 4

// History is what a guard judges: one run's own past, kept apart from the chat so
// that compaction, pauses and restarts do not erase it.
type History struct {
	// Calls are the last calls before Next, oldest first, at most as many as any detector looks at, see Reach.
	Calls []CallRecord
	// Window is guard.window: how many calls, Next included, most detectors look at.
	Window int
	// Next is the call about to be executed, nil when the run itself is judged
	// (before each model call, and after each answer).
	Next *CallRecord
	// SameInRun counts all calls equal to Next in the whole run, Next included.
	SameInRun int
	// Allowed is by how much a person moved the thresholds of Next.
	Allowed int
	// Warning and Critical are a rule's own thresholds for Next's tool, 0 for none.
	Warning, Critical int
	// Unknown counts the calls of the run to tools that do not exist, Next included.
	Unknown int
	// Compacted is the N of the last call before the context was compacted last, 0 for never.
	Compacted int
	// Answers are fingerprints of the newest assistant texts, oldest first, back
	// to the last progress: a call that was not made before, or a new result.
	Answers []string
	// EarlierAnswers is how many of Answers are of earlier runs of the conversation.
	EarlierAnswers int
	// Steps is how many model calls were made; MaxSteps and MaxDuration are
	// the run's limits; Active is its running time, waits for people left out.
	Steps       int
	MaxSteps    int
	Active      time.Duration
	MaxDuration time.Duration
	// Failures counts answers in a row whose calls all ended in an error;
	// several failed calls of one answer count once.
	Failures int
	// Tree is what the runs of the tree have done of which the run is one; nil where it is alone.
	Tree *Tree
}

// Recent are the calls before Next that lie in the window. It is wider by what
// a person allowed, and as wide as the tool's own thresholds need.
func (h *History) Recent() []CallRecord {
	room := max(h.Window, h.Critical+beyondCritical) + h.Allowed
	if h.Next != nil {
		room--
	}
	return h.Calls[max(len(h.Calls)-max(room, 0), 0):]
}

// Verdict is what a guard says of a History, or of a stream.
type Verdict struct {
	Level    Level
	Detector string
	// Key names the streak: two verdicts with the same detector and key belong together.
	Key       string
	Count     int
	Threshold int // the number that Count met
	Message   string
	// Calls are the N of the records that make the streak, oldest first, Next included.
	Calls []int
	// Among are the calls of the streak where other runs of the tree have a part in it,
	// oldest first, those of the run and Next included.
	Among []CallID
	// Reason is why a run that stops here stopped.
	Reason StopReason
	// Spared says why a suspicious streak did not trip. Only a verdict of level
	// Pass has it.
	Spared string
	// Keep is the number of bytes of a streamed text before its repetition
	// begins, Excerpt is what repeats, once, and Rule is which of the detector's
	// rules has found it. Only a StreamGuard sets them.
	Keep    int
	Excerpt string
	Rule    string
}

// Guard is one detector: a pure function of a History, in constant memory.
type Guard interface {
	Name() string
	// Check judges h and keeps nothing of it.
	Check(h *History) Verdict
}

// StreamGuard judges the text of one message while it is streamed, in constant
// memory. The same text gives the same verdict at the same character, however
// it is cut into pieces.
type StreamGuard interface {
	Name() string
	// Write takes the next piece and returns the first verdict above Pass. The rest
	// of a piece is not examined once the guard has tripped.
	Write(text string) Verdict
	// Reset forgets what was read: a tool call came in between. Keep keeps counting.
	Reset()
}

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
	began, reached := v.Count < t.Count || len(v.Calls) > 0 && v.Calls[0] > t.Last, t.Level
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

// last is the newest call of a streak, 0 where it is about none.
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

// VerdictRecord is a verdict in a run's trace. It outlives no run.
type VerdictRecord struct {
	ID             string    `json:"id"`
	RunID          string    `json:"runId"`
	ConversationID string    `json:"conversationId"`
	Step           int       `json:"step"`
	CallID         string    `json:"toolCallId,omitempty"`
	Tool           string    `json:"toolName,omitempty"`
	Detector       string    `json:"detector"`
	Level          string    `json:"level"` // Level.String; "pass" for a streak that was spared
	Off            bool      `json:"off"`   // the detector was switched off: this is what it would have said
	Count          int       `json:"count"`
	Threshold      int       `json:"threshold"`
	Message        string    `json:"message"`
	Calls          []int     `json:"calls,omitempty"`
	At             time.Time `json:"at"`
	// Tokens and CostMicros are what the calls of the streak took; the saved
	// ones estimate what the run would have gone on to use: what it had spent
	// per step, times the steps left to its limit.
	Tokens      int64 `json:"tokens"`
	CostMicros  int64 `json:"costMicros"`
	SavedTokens int64 `json:"savedTokens"`
	SavedMicros int64 `json:"savedMicros"`
}

// Judge asks a model whether a run is going in circles.
type Judge interface {
	// Request makes the question from the task and the newest messages.
	Request(model, task string, recent []Message) Request
	// Read reads the answer; an answer that does not fit the schema is an error.
	Read(answer string) (Opinion, error)
}

// Opinion is what a judge thinks: how sure it is, 0 to 1, that the run is in a loop.
type Opinion struct {
	Reasoning  string  `json:"reasoning"`
	Confidence float64 `json:"confidence"`
}
