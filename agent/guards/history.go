package guards

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent"
)

// Line is one line of a history; which fields are there says what it is.
type Line struct {
	Tool    *string         `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
	Blocked bool            `json:"blocked"`
	Text    *string         `json:"text"`
	Message *string         `json:"message"`
	Turn    bool            `json:"turn"`
	Reset   bool            `json:"reset"`

	// At is where it stands, counted from 1; verdicts name it.
	At int `json:"-"`
}

// Bounds of a history.
const (
	maxHistoryLine  = 8 << 20
	maxHistoryLines = 1_000_000
)

// ReadHistory reads a history, one JSON object a line. Invalid names the line.
func ReadHistory(in io.Reader) ([]Line, error) {
	var lines []Line
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 64<<10), maxHistoryLine)
	for n := 1; sc.Scan(); n++ {
		l, err := readLine(sc.Bytes())
		if err != nil {
			return nil, agent.Errorf(agent.Invalid, "line %d: %v", n, err)
		}
		if n > maxHistoryLines {
			return nil, agent.Errorf(agent.Invalid, "line %d: a history has at most %d lines", n, maxHistoryLines)
		}
		l.At = n
		lines = append(lines, l)
	}
	if errors.Is(sc.Err(), bufio.ErrTooLong) {
		return nil, agent.Errorf(agent.Invalid, "line %d: is longer than %d bytes", len(lines)+1, maxHistoryLine)
	}
	return lines, sc.Err()
}

// readLine reads one line; an empty one is a line on which nothing happened.
func readLine(raw []byte) (Line, error) {
	var l Line
	if len(bytes.TrimSpace(raw)) == 0 {
		return l, nil
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, fmt.Errorf("is not a JSON object of a history: %w", err)
	}
	switch {
	case l.Tool != nil && *l.Tool == "":
		return l, errors.New(`the field "tool" is empty; name the tool that was called`)
	case l.Tool == nil && l.Text == nil && l.Message == nil && !l.Turn && !l.Reset:
		return l, errors.New(`is empty; allowed are {"tool","args","result"|"error"}, {"text"}, {"message"}, {"turn":true} and {"reset":true}`)
	}
	return l, nil
}

// Explained is one verdict of Explain, as it is printed.
type Explained struct {
	Line     int    `json:"line"`
	Level    string `json:"level"`
	Detector string `json:"detector"`
	Count    int    `json:"count"`
	Message  string `json:"message"`
}

// Explain reads a history, one JSON object a line, and hands every verdict to
// each, in order. tripped is true where one of them was a pause or a stop. A
// history without turns has one call in each answer. Errors name the line.
func Explain(in io.Reader, s agent.GuardSettings, tools Tools, each func(Explained) error) (tripped bool, err error) {
	lines, err := ReadHistory(in)
	if err != nil {
		return false, err
	}
	return ExplainLines(lines, Setup{Settings: s}, tools, each)
}

// ExplainLines is Explain for a history that has been read.
func ExplainLines(lines []Line, s Setup, tools Tools, each func(Explained) error) (tripped bool, err error) {
	x := &explainer{setup: s, tools: tools, each: each}
	x.turns = slices.ContainsFunc(lines, func(l Line) bool { return l.Turn })
	x.reset()
	for _, l := range lines {
		x.line = l.At
		if err := x.take(l); err != nil {
			return x.tripped, err
		}
	}
	err = x.close()
	return x.tripped, err
}

// explainer goes through a history line by line.
type explainer struct {
	setup  Setup
	tools  Tools
	each   func(Explained) error
	replay *Replay
	turns  bool
	line   int
	// last is the newest line of the answer that is open, 0 for none.
	last    int
	unknown map[string]bool
	tripped bool
}

func (x *explainer) reset() {
	x.unknown = map[string]bool{}
	// A tool is known unless its own error says that there is none.
	tools := func(name string) (agent.ToolSpec, bool) {
		spec, _ := x.tools(name)
		return spec, !x.unknown[name]
	}
	x.replay = NewReplay(x.setup.Settings, x.setup.Config, tools, 0)
	x.last = 0
}

func (x *explainer) take(l Line) error {
	switch {
	case l.Reset:
		err := x.close()
		x.reset()
		return err
	case l.Turn:
		return x.turn()
	case l.Text != nil:
		x.last = x.line
		return x.tell(x.line, x.replay.Text(*l.Text))
	case l.Message != nil:
		x.last = x.line
		return x.tell(x.line, x.replay.Message(*l.Message))
	case l.Tool != nil:
		return x.call(l)
	}
	return nil
}

// turn begins a new answer; what the previous one is blamed for is at its
// last line.
func (x *explainer) turn() error {
	at := cmp.Or(x.last, x.line)
	x.last = 0
	return x.tell(at, x.replay.Turn())
}

func (x *explainer) call(l Line) error {
	if !x.turns {
		if err := x.turn(); err != nil {
			return err
		}
	}
	x.last = x.line
	c := agent.ToolCall{Name: *l.Tool, Args: textOf(l.Args), Blocked: l.Blocked}
	switch {
	case l.Error != nil && string(l.Error) != "null":
		c.State, c.ErrorType, c.Result = agent.CallError, agent.ErrExecution, textOf(l.Error)
		x.unknown[c.Name] = noSuchTool.MatchString(c.Result)
	case l.Result != nil:
		c.State, c.Result = agent.CallSuccess, textOf(l.Result)
	case l.Blocked:
		c.State = agent.CallError
	}
	return x.tell(x.line, x.replay.Call(c))
}

// noSuchTool is how systems say that a tool does not exist.
var noSuchTool = regexp.MustCompile(`(?i)tool_not_registered|tool_not_found|(unknown|no such|unregistered|undefined|nonexistent) (tool|function)|(tool|function) not (found|registered|available)` +
	`|(tool|function):? ["'\x60]?[\w.-]+["'\x60]? (was |is )?(not found|not registered|not available|unknown|does not exist|doesn't exist)|there is no tool`)

// textOf is a JSON value as text: strings without their quotes.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(raw))
}

func (x *explainer) close() error { return x.tell(cmp.Or(x.last, x.line), x.replay.End()) }

func (x *explainer) tell(line int, verdicts []agent.Verdict) error {
	for _, v := range verdicts {
		x.tripped = x.tripped || v.Level >= agent.Pause
		err := x.each(Explained{Line: line, Level: v.Level.String(), Detector: v.Detector, Count: v.Count, Message: v.Message})
		if err != nil {
			return err
		}
	}
	return nil
}
