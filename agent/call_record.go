package agent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"fusebox/agent/fingerprint"
)

// RecordOf is what the guards see of a call: the n-th of its run, of a tool
// that declares spec; known is false for a tool that does not exist.
func RecordOf(n int, c ToolCall, spec ToolSpec, known bool) CallRecord {
	rec := CallRecord{
		N: n, CallID: c.ID, Step: c.Step, Tool: c.Name,
		Args: fingerprint.Args(c.Args, spec.Identity), Shape: fingerprint.Shape(c.Args, spec.Identity),
		Failed: c.State == CallError && c.ErrorType != ErrRejected, Succeeded: c.State == CallSuccess,
		Blocked: c.Blocked, Polling: spec.Polling, Unknown: !known || c.ErrorType == ErrNotRegistered, Writes: spec.Effect == EffectWrite,
		Acts: acts(c, spec),
	}
	if c.State.Ended() && !c.Blocked {
		hash := c.ResultHash // it is valid as long as no field is declared volatile
		if hash == "" || len(spec.Volatile) > 0 {
			hash = fingerprint.Result(OwnResult(c.Result), spec.Volatile) + ImageNames(c.Images)
		}
		rec.Result = string(c.ErrorType) + hash
	}
	if rec.Failed {
		rec.Words = fingerprint.ErrorLine(OwnResult(c.Result))
		rec.Error = fingerprint.Error(rec.Words, c.Args)
		rec.Ink, rec.Sketch = fingerprint.Ink(c.Args), fingerprint.Sketch(c.Args)
		command, _ := commandOf(c.Args)
		rec.Answers = saysNo(command, OwnResult(c.Result))
		rec.Missing = missing.MatchString(rec.Words)
	}
	if c.Name == DelegateTool {
		rec.Delegation = delegationOf(c)
		if rec.Delegation.Changed {
			rec.Result += rec.Delegation.RunID // whatever it says, it is not as it was
		}
	}
	return rec
}

// CallRecord is what the guards know of one call. Equal fingerprints mean the
// same call, or the same result.
type CallRecord struct {
	N      int // position in the run, from 1
	CallID string
	Step   int
	Tool   string
	Args   string // FingerprintArgs
	Shape  string // FingerprintShape: equal for arguments that differ only in numbers and the like
	Result string // FingerprintResult; "" while there is none, and for blocked calls
	// Failed and Succeeded are how it went; a call that a person refused did neither.
	Failed, Succeeded bool
	// Words is the line of a failed call's result that says what went wrong, Error its
	// fingerprint. Missing marks a program that is not installed, Answers one that said
	// no by its exit code: the first time, both are results, see Trace.Add.
	Words, Error     string
	Ink              string // of a failed call: equal for arguments that differ in white space alone
	Sketch           string // of a failed call: what fingerprint.Likeness compares
	Missing, Answers bool
	// Repeats marks a call that was made before in the run, with this result.
	Repeats bool
	// Blocked marks a call that a guard stopped: it counts and has no result.
	Blocked bool
	Polling bool
	// Unknown marks a call of a tool that does not exist.
	Unknown bool
	// Writes marks a tool that changes something each time it succeeds, so that
	// equal answers to different arguments do not mean a standstill.
	Writes bool
	// Acts marks a call that may change something; one that only looks does not.
	Acts bool
	// Progress marks a call that acts, succeeded, and is new in the run: whatever is looked
	// at behind it may be different.
	Progress bool
	// Delegation is the task that a call of DelegateTool hands over, nil for any other call.
	Delegation *Delegation
}

// Same reports whether two records are the same call.
func (c *CallRecord) Same(d *CallRecord) bool { return c.Args == d.Args && c.Tool == d.Tool }

// CallRef names a call by its tool and the guards' fingerprint of its arguments.
type CallRef struct {
	Tool string `json:"tool"`
	Args string `json:"args"`
}

// Key names the streak of one call.
func (c CallRef) Key() string { return c.Tool + ":" + c.Args }

// Allowance moves the thresholds and the breaker of one call by N, for one run.
type Allowance struct {
	CallRef
	N int `json:"n"`
}

// Wait is a call that is retried without the model until its result
// changes. It is only this row: no goroutine and no timer belong to it.
type Wait struct {
	CallID string `json:"callId"`
	// Result is the fingerprint that the result has to differ from.
	Result string        `json:"result"`
	Delay  time.Duration `json:"delay"`
	NextAt time.Time     `json:"nextAt"`
	Until  time.Time     `json:"until"`
}

// missing is how shells and systems say that a program is not installed.
var missing = regexp.MustCompile(`(?i)command not found|: not found$|executable file not found|is not recognized as an internal or external command`)

// commandOf is the command line of a call that runs one.
func commandOf(args string) (command string, runs bool) {
	var shell struct {
		Command *string `json:"command"`
	}
	if json.Unmarshal([]byte(args), &shell) != nil || shell.Command == nil {
		return "", false
	}
	return *shell.Command, true
}

// answering are programs that say no by exit code 1: no line matches, the files differ.
var answering = regexp.MustCompile(`^(?:[ef]?grep|rg|diff|cmp|test|\[)$`)

// saysNo reports whether the last program of a command line answered a question with no.
func saysNo(command, result string) bool {
	if command == "" {
		return false
	}
	if result = strings.TrimSpace(result); result != "" && !strings.HasSuffix(result, "exit code 1") {
		return false
	}
	last := command[strings.LastIndexAny(command, "|;&\n(")+1:]
	words := strings.Fields(last)
	return len(words) > 0 && answering.MatchString(words[0][strings.LastIndex(words[0], "/")+1:])
}

// acts reports whether a call of a tool may change something: it writes, runs a program
// that does more than look, or reaches out in a way that does not bear repeating.
func acts(c ToolCall, spec ToolSpec) bool {
	switch spec.Effect {
	case EffectWrite, EffectUnknown:
		return true
	case EffectNetwork:
		return !spec.Idempotent
	case EffectExec:
		command, runs := commandOf(c.Args)
		return !runs || !onlyLooks(command)
	case EffectRead:
	}
	return false
}

var (
	// looking are programs that change nothing.
	looking = strings.Fields(`cat ls head tail less more grep egrep fgrep zgrep rg stat file wc du df ps pgrep free uptime pwd cd whoami id
		uname which type tree cut tr nl rev column diff cmp test [ true false echo printf sleep jq printenv lsof ss netstat ping dig nslookup
		od xxd strings md5sum sha256sum basename dirname realpath readlink seq date nvidia-smi squeue sacct sinfo qstat`)
	// lookingAs are what others are asked for where they change nothing.
	lookingAs = map[string]*regexp.Regexp{
		"git":       regexp.MustCompile(`^(status|log|diff|show|blame|grep|ls-files|rev-parse|describe)\b`),
		"kubectl":   regexp.MustCompile(`^(get|describe|logs|top|version)\b`),
		"docker":    regexp.MustCompile(`^(ps|logs|images|inspect|stats|top|version)\b`),
		"systemctl": regexp.MustCompile(`^(status|show|is-\w+|list-units)\b`),
	}
	// changing are words with which looking programs do change something.
	changing = map[string]*regexp.Regexp{
		"find": regexp.MustCompile(`(^|\s)-(exec|ok|delete|fprint|fls)`),
		"sort": regexp.MustCompile(`(^|\s)(-\w*o|--output)`),
		"curl": regexp.MustCompile(`(^|\s)(-\w*[XdFToO]|--(request|data|json|form|upload-file|output|remote-name))`),
	}
	// nowhere are redirections that write no file, between those that separate commands.
	nowhere    = regexp.MustCompile(`&?\d?>>?\s*/dev/null\b|\d>&\d`)
	separators = regexp.MustCompile(`[|&;\n]+`)
)

// onlyLooks reports whether each program of a command line is one that changes nothing. A
// line of which that is not plain may change something.
func onlyLooks(command string) bool {
	line := nowhere.ReplaceAllString(command, " ")
	if strings.ContainsAny(line, ">`") || strings.Contains(line, "$(") || strings.Contains(line, "<(") {
		return false
	}
	return !slices.ContainsFunc(separators.Split(line, -1), func(part string) bool { return !looks(strings.TrimSpace(part)) })
}

// looks reports whether one program with its words changes nothing.
func looks(command string) bool {
	word, rest, _ := strings.Cut(command, " ")
	program := word[strings.LastIndex(word, "/")+1:]
	if as, limited := lookingAs[program]; limited {
		return as.MatchString(strings.TrimSpace(rest))
	}
	does, may := changing[program]
	return command == "" || may && !does.MatchString(rest) || !may && slices.Contains(looking, program)
}

// CallDocument is a document that a tool call has read.
type CallDocument struct {
	CallID
	DocumentID string
	// Closed says that it is not open to the owner of the conversation any more. What was their
	// own and is deleted is not closed.
	Closed bool
}

// ClosedDocuments are those that calls have read and that are closed now, by the calls.
type ClosedDocuments map[CallID][]string

// ClosedOf sorts what is closed by the calls, nil for nothing.
func ClosedOf(read []CallDocument) ClosedDocuments {
	var closed ClosedDocuments
	for _, d := range read {
		if !d.Closed {
			continue
		}
		if closed == nil {
			closed = ClosedDocuments{}
		}
		closed[d.CallID] = append(closed[d.CallID], d.DocumentID)
	}
	return closed
}
