package guards

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
