package agent

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// GuardSettings are the numbers of the breakers; the zero value is not usable,
// see DefaultGuardSettings. A threshold of 0 switches that level off.
type GuardSettings struct {
	Window               int
	Warning              int
	Critical             int
	Breaker              int
	Ceiling              int
	CycleWarning         int // periods
	CycleCritical        int
	SimilarWarning       int
	SimilarCritical      int
	NothingNewWarning    int
	NothingNewCritical   int
	UnknownWarning       int
	UnknownCritical      int
	ChantRepeats         int // equal chunks of 50 characters
	ChantUnits           int // equal units in a row
	ChantStructured      int // the same within lists, tables, code
	AnswerWarning        int
	AnswerCritical       int
	CompactionCritical   int
	MaxSteps             int
	MaxDuration          time.Duration
	MaxConsecutiveErrors int
	Nudges               int // reminders about missing outputs
	PollFirst            time.Duration
	PollCap              time.Duration
	PollWait             time.Duration
	JudgeAfter           int // steps
	JudgeConfidence      int // percent
	MinConfidence        int // percent
	// JudgeModel is the small model that judges; "" means none.
	JudgeModel string
	// Off are the detectors that record what they would have said, and no more.
	Off []string
}

// GuardNumber is one number of GuardSettings, as configuration, pages and
// commands know it.
type GuardNumber struct {
	Key      string // path in the configuration: guard.warning
	Fallback string // default, as text
	Detector string // the detector that uses it, "" for several
	Help     string
	Min, Max int64 // milliseconds for durations
	number   func(*GuardSettings) *int
	duration func(*GuardSettings) *time.Duration
}

const day = 24 * time.Hour

// GuardNumbers are all numbers of the breakers with their defaults and bounds.
var GuardNumbers = []GuardNumber{
	count("guard.window", "30", "", "calls that detectors look back over", 2, 1000, func(s *GuardSettings) *int { return &s.Window }),
	count("guard.warning", "5", "", "identical calls before the model gets a reminder", 2, 1000, func(s *GuardSettings) *int { return &s.Warning }),
	count("guard.critical", "8", "", "identical calls before a person is asked", 2, 1000, func(s *GuardSettings) *int { return &s.Critical }),
	count("guard.breaker", "10", "global_circuit_breaker", "identical calls with the same result before the run is stopped", 2, 1000, func(s *GuardSettings) *int { return &s.Breaker }),
	count("guard.ceiling", "50", "global_circuit_breaker", "identical calls in one run, whatever was approved", 2, 1000, func(s *GuardSettings) *int { return &s.Ceiling }),
	count("guard.cycle_warning", "3", "cycle", "rounds of 3 to 10 calls before the model gets a reminder", 2, 6, func(s *GuardSettings) *int { return &s.CycleWarning }),
	count("guard.cycle_critical", "4", "cycle", "such rounds before a person is asked", 2, 6, func(s *GuardSettings) *int { return &s.CycleCritical }),
	count("guard.similar_warning", "6", "similar_repeat", "calls that differ only in numbers and the like before the model gets a reminder", 2, 1000, func(s *GuardSettings) *int { return &s.SimilarWarning }),
	count("guard.similar_critical", "10", "similar_repeat", "such calls before a person is asked", 2, 1000, func(s *GuardSettings) *int { return &s.SimilarCritical }),
	count("guard.nothing_new_warning", "4", "nothing_new", "calls in a row that were made before, with the same result, before the model gets a reminder", 2, 50, func(s *GuardSettings) *int { return &s.NothingNewWarning }),
	count("guard.nothing_new_critical", "6", "nothing_new", "such calls before a person is asked", 2, 50, func(s *GuardSettings) *int { return &s.NothingNewCritical }),
	count("guard.unknown_warning", "3", "unknown_tool", "calls to unknown tools before the model gets a reminder", 1, 1000, func(s *GuardSettings) *int { return &s.UnknownWarning }),
	count("guard.unknown_critical", "5", "unknown_tool", "such calls before a person is asked", 1, 1000, func(s *GuardSettings) *int { return &s.UnknownCritical }),
	count("guard.chant_repeats", "10", "chanting", "identical pieces of 50 characters, close together, before a stream is cut", 3, 1000, func(s *GuardSettings) *int { return &s.ChantRepeats }),
	count("guard.chant_units", "5", "chanting", "identical units of up to 300 characters in a row before a stream is cut", 3, 1000, func(s *GuardSettings) *int { return &s.ChantUnits }),
	count("guard.chant_structured", "30", "chanting", "the same within lists, tables, code, headings and quotes", 3, 1000, func(s *GuardSettings) *int { return &s.ChantStructured }),
	count("guard.answer_warning", "2", "repeated_answer", "identical answers in a row before the model gets a reminder", 2, 1000, func(s *GuardSettings) *int { return &s.AnswerWarning }),
	count("guard.answer_critical", "3", "repeated_answer", "identical answers in a row before a person is asked", 2, 1000, func(s *GuardSettings) *int { return &s.AnswerCritical }),
	count("guard.compaction_critical", "2", "post_compaction", "repeats of a call from before a compaction before a person is asked", 1, 1000, func(s *GuardSettings) *int { return &s.CompactionCritical }),
	count("guard.max_steps", "50", "max_steps", "model calls of one run", 1, 10_000, func(s *GuardSettings) *int { return &s.MaxSteps }),
	span("guard.max_duration", "10m", "max_duration", "running time of one run, without waits", time.Second, 7*day, func(s *GuardSettings) *time.Duration { return &s.MaxDuration }),
	count("guard.max_consecutive_errors", "3", "consecutive_errors", "answers in a row that failed with the same error before a person is asked; twice as many where the errors differ", 1, 1000, func(s *GuardSettings) *int { return &s.MaxConsecutiveErrors }),
	count("guard.nudges", "3", "", "reminders about missing declared outputs", 0, 20, func(s *GuardSettings) *int { return &s.Nudges }),
	span("guard.poll_first", "2s", "", "first wait of a call that is treated as polling; each wait is twice the previous one", 10*time.Millisecond, time.Hour, func(s *GuardSettings) *time.Duration { return &s.PollFirst }),
	span("guard.poll_cap", "60s", "", "longest wait between two attempts of such a call", 10*time.Millisecond, day, func(s *GuardSettings) *time.Duration { return &s.PollCap }),
	span("guard.poll_wait", "30m", "", "longest total wait for a changed result", 10*time.Millisecond, 7*day, func(s *GuardSettings) *time.Duration { return &s.PollWait }),
	count("guard.judge_after", "30", "model_judge", "steps before the judge model looks for the first time", 1, 10_000, func(s *GuardSettings) *int { return &s.JudgeAfter }),
	count("guard.judge_confidence", "90", "model_judge", "confidence in percent above which the judge asks for a second opinion", 1, 100, func(s *GuardSettings) *int { return &s.JudgeConfidence }),
	count("guard.min_confidence", "0", "", "confidence in percent below which a person is asked about the agent’s answer; 0 never", 0, 100, func(s *GuardSettings) *int { return &s.MinConfidence }),
}

// DefaultGuardSettings are the settings with every number at its default.
func DefaultGuardSettings() GuardSettings {
	var s GuardSettings
	for _, n := range GuardNumbers {
		if err := n.Set(&s, n.Fallback); err != nil {
			panic(err) // a default outside its own bounds
		}
	}
	return s
}

// Set changes one number by its key, with or without the prefix "guard.".
// Invalid names the key, and what is allowed.
func (s *GuardSettings) Set(key, value string) error {
	n, ok := FindGuardNumber(key)
	if !ok {
		keys := make([]string, len(GuardNumbers))
		for i, n := range GuardNumbers {
			keys[i] = n.Key
		}
		return InvalidField(key, "is not a guard setting; allowed: %s", strings.Join(keys, ", "))
	}
	return n.Set(s, value)
}

// FindGuardNumber finds a number by its key, with or without the prefix "guard.".
func FindGuardNumber(key string) (GuardNumber, bool) {
	full := "guard." + strings.TrimPrefix(key, "guard.")
	i := slices.IndexFunc(GuardNumbers, func(n GuardNumber) bool { return n.Key == full })
	if i < 0 {
		return GuardNumber{}, false
	}
	return GuardNumbers[i], true
}

// Set changes the number in s. Invalid names the key and what is allowed.
func (n GuardNumber) Set(s *GuardSettings, value string) error {
	v, err := n.Parse(value)
	if err != nil {
		return err
	}
	if n.number != nil {
		*n.number(s) = int(v)
	} else {
		*n.duration(s) = time.Duration(v) * time.Millisecond
	}
	return nil
}

// Parse reads a value and checks its bounds; durations are milliseconds.
func (n GuardNumber) Parse(value string) (int64, error) {
	var v int64
	var err error
	if n.number != nil {
		v, err = strconv.ParseInt(value, 10, 64)
	} else {
		var d time.Duration
		d, err = time.ParseDuration(value)
		v = d.Milliseconds()
	}
	if err != nil || v < n.Min || v > n.Max {
		return 0, InvalidField(n.Key, "%q is not allowed; allowed: %s", value, n.Allowed())
	}
	return v, nil
}

// Of returns the setting's value in s, as text.
func (n GuardNumber) Of(s GuardSettings) string {
	if n.number != nil {
		return strconv.Itoa(*n.number(&s))
	}
	return n.duration(&s).String()
}

// Allowed describes the allowed values.
func (n GuardNumber) Allowed() string {
	if n.number != nil {
		return "a whole number from " + strconv.FormatInt(n.Min, 10) + " to " + strconv.FormatInt(n.Max, 10)
	}
	lo, hi := time.Duration(n.Min)*time.Millisecond, time.Duration(n.Max)*time.Millisecond
	return "a duration such as 500ms, 30s or 10m, from " + lo.String() + " to " + hi.String()
}

func count(key, fallback, detector, help string, lo, hi int64, field func(*GuardSettings) *int) GuardNumber {
	return GuardNumber{Key: key, Fallback: fallback, Detector: detector, Help: help, Min: lo, Max: hi, number: field}
}

func span(key, fallback, detector, help string, lo, hi time.Duration, field func(*GuardSettings) *time.Duration) GuardNumber {
	return GuardNumber{
		Key: key, Fallback: fallback, Detector: detector, Help: help,
		Min: lo.Milliseconds(), Max: hi.Milliseconds(), duration: field,
	}
}

// Check checks the numbers against each other; each error names a key.
func (s GuardSettings) Check() error {
	pairs := []struct {
		lower, upper string
		below        bool // lower must be below upper, not only not above
	}{
		{"guard.warning", "guard.critical", true}, {"guard.critical", "guard.breaker", true},
		{"guard.breaker", "guard.ceiling", false}, {"guard.breaker", "guard.window", false},
		{"guard.cycle_warning", "guard.cycle_critical", true}, {"guard.similar_warning", "guard.similar_critical", true}, {"guard.nothing_new_warning", "guard.nothing_new_critical", true},
		{"guard.unknown_warning", "guard.unknown_critical", true}, {"guard.answer_warning", "guard.answer_critical", true},
		{"guard.chant_units", "guard.chant_structured", false}, {"guard.poll_first", "guard.poll_cap", false},
	}
	for _, p := range pairs {
		lo, _ := FindGuardNumber(p.lower)
		hi, _ := FindGuardNumber(p.upper)
		a, _ := lo.Parse(lo.Of(s)) // the value in s has been parsed before
		b, _ := hi.Parse(hi.Of(s))
		var e *Error
		switch {
		case p.below && a >= b:
			e = Errorf(Invalid, "%s = %s must be below %s = %s", p.lower, lo.Of(s), p.upper, hi.Of(s))
		case a > b:
			e = Errorf(Invalid, "%s = %s must not be above %s = %s", p.lower, lo.Of(s), p.upper, hi.Of(s))
		default:
			continue
		}
		e.Fields = []FieldError{{Field: p.lower, Detail: e.Message}}
		return e
	}
	return nil
}
