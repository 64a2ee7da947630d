package agent

import "time"

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
