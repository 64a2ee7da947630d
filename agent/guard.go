package agent

import "time"

// Level is how severe a verdict is.
type Level int

// The levels, in rising order.
const (
	Pass  Level = iota
	Warn        // a reminder joins the next model request
	Pause       // the call is blocked, a person decides
	Stop        // the run ends, whatever anybody said before
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

// GuardSettings are the numbers of the breakers; the zero value is not usable, see DefaultGuardSettings.
type GuardSettings struct {
	Window               int
	Warning              int
	Critical             int
	Breaker              int
	MaxSteps             int
	MaxDuration          time.Duration
	MaxConsecutiveErrors int
	Ceiling              int
}

// DefaultGuardSettings are the numbers of the contract.
func DefaultGuardSettings() GuardSettings {
	return GuardSettings{
		Window: 30, Warning: 5, Critical: 8, Breaker: 10,
		MaxSteps: 50, MaxDuration: 10 * time.Minute, MaxConsecutiveErrors: 3, Ceiling: 50,
	}
}

// CallRecord is what the guards know of one call. Equal fingerprints mean the
// same call, or the same result.
type CallRecord struct {
	N       int // position in the run, from 1
	CallID  string
	Step    int
	Tool    string
	Args    string // FingerprintArgs
	Result  string // FingerprintResult; "" while there is none, and for blocked calls
	Failed  bool
	Blocked bool
	Polling bool
}

// Same reports whether two records are the same call.
func (c CallRecord) Same(d CallRecord) bool { return c.Tool == d.Tool && c.Args == d.Args }

// History is what a guard judges: one run's own past, kept beside the chat so
// that compaction, pauses and restarts do not erase it.
type History struct {
	// Calls are the last calls before Next, oldest first, at most
	// GuardSettings.Window - 1 of them with Next, GuardSettings.Window without.
	// The same call twice in one answer of the model stands here once.
	Calls []CallRecord
	// Next is the call about to be executed, nil when the run itself is judged
	// (before and after each model call).
	Next *CallRecord
	// SameInRun counts all calls equal to Next in the whole run, Next included.
	SameInRun int
	// Steps is how many model calls were made; MaxSteps and MaxDuration are
	// the run's limits; Active is its running time, waits for people left out.
	Steps       int
	MaxSteps    int
	Active      time.Duration
	MaxDuration time.Duration
	// Failures counts answers in a row whose calls all ended in an error;
	// several failed calls of one answer count once.
	Failures int
}

// Verdict is what a guard says of a History.
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
	// Reason is why a run that stops here stopped.
	Reason StopReason
}

// Guard is one detector: a pure function of a History, in constant memory.
type Guard interface {
	Name() string
	Check(h History) Verdict
}
