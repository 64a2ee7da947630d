package tools

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"fusebox/agent"
	"fusebox/agent/encoded"
)

//go:embed grep.md
var grepText string

// Bounds of a search.
const (
	maxHits      = 500
	maxHitLine   = 400      // bytes that are shown of a line
	maxSearched  = 64 << 20 // bytes that are read
	maxLine      = 1 << 20  // longer lines end the search of their file
	binaryPrefix = 8 << 10  // where a zero byte tells a binary file
)

type grepFiles struct{ spaces workspaces }

func (grepFiles) Spec() agent.ToolSpec {
	s := builtin("grep", grepText, `{
		"type": "object", "additionalProperties": false, "required": ["pattern"],
		"properties": {
			"pattern": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A regular expression in the syntax of RE2"},
			"path": {"type": "string", "maxLength": 1000, "description": "A file or folder; the whole workspace if left out"}
		}
	}`)
	s.Set, s.Effect, s.Risk, s.Idempotent = agent.FileTools, agent.EffectRead, agent.RiskLow, true
	return s
}

func (t grepFiles) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Pattern, Path string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	if args.Path == "" {
		args.Path = "."
	}
	expr, err := regexp.Compile(args.Pattern)
	if err != nil {
		return failed(agent.ErrInvalidParams, "pattern: %v", err)
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(name)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	s := &search{spaces: t.spaces, root: root, expr: expr, reader: bufio.NewReaderSize(nil, maxHead), left: maxSearched}
	if !info.IsDir() {
		if err := s.file(ctx, name); err != nil {
			return fileFailure(args.Path, err)
		}
		return s.result(args.Pattern)
	}
	files := &tree{root: root, hidden: namesHidden(name), left: maxWalked}
	files.walk(ctx, name, func(name string) bool { // what cannot be read is left out
		err := s.file(ctx, name)
		return err == nil || !errors.Is(err, errEnough)
	})
	if files.cut {
		s.notes = append(s.notes, fmt.Sprintf("there are more than %d files; the others were not searched", maxWalked))
	}
	return s.result(args.Pattern)
}

// search looks for an expression in one file after another.
type search struct {
	spaces workspaces
	root   *os.Root
	expr   *regexp.Regexp
	reader *bufio.Reader // of one file after the other
	out    strings.Builder
	hits   int
	left   int64 // bytes that may be read yet
	binary int   // files that were left out
	notes  []string
}

// errEnough ends a search at one of its bounds.
var errEnough = errors.New("the search is at its bound")

// file searches one file, unless it is a binary one.
func (s *search) file(ctx context.Context, name string) error {
	f, err := s.spaces.openFile(s.root, name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	text, err := s.text(io.LimitReader(f, s.left))
	if text == nil || err != nil {
		return err
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(make([]byte, 0, binaryPrefix), maxLine)
	for n := 1; lines.Scan(); n++ {
		if err := s.line(ctx, name, n, lines.Bytes()); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		s.notes = append(s.notes, plainName(name)+" has a very long line; the rest of it was not searched")
		return nil
	}
	return lines.Err()
}

// text is what a file says, in UTF-8 as far as its beginning tells how it is written; nil
// for a binary file.
func (s *search) text(f io.Reader) (io.Reader, error) {
	r := s.reader
	r.Reset(f)
	start, err := r.Peek(maxHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text, ok := encoded.Read(string(start), err == nil)
	switch {
	case (!ok || text.Encoding() == "") && bytes.IndexByte(start[:min(len(start), binaryPrefix)], 0) >= 0:
		s.binary++
		return nil, nil
	case !ok:
		return r, nil
	}
	if _, err := r.Discard(int(text.Aligned(0))); err != nil {
		return nil, err
	}
	if decoder := text.Decoder(); decoder != nil {
		return transform.NewReader(r, decoder), nil
	}
	return r, nil
}

func (s *search) line(ctx context.Context, name string, n int, line []byte) error {
	s.left -= int64(len(line)) + 1
	if !utf8.Valid(line) { // behind a beginning that did not tell
		if text, ok := encoded.Read(string(line), false); ok {
			line = []byte(text.Content)
		}
	}
	switch {
	case ctx.Err() != nil:
		return errors.Join(errEnough, ctx.Err())
	case s.left <= 0:
		s.notes = append(s.notes, fmt.Sprintf("%d bytes were searched; the rest was not, give a path", maxSearched))
		return errEnough
	case !s.expr.Match(line):
		return nil
	case s.hits == maxHits:
		s.notes = append(s.notes, fmt.Sprintf("there are more than %d matching lines; make the pattern narrower", maxHits))
		return errEnough
	}
	s.hits++
	text := strings.ToValidUTF8(string(line[:min(len(line), maxHitLine)]), "\uFFFD")
	if len(line) > maxHitLine {
		text += "…"
	}
	fmt.Fprintf(&s.out, "%s:%d: %s\n", plainName(name), n, strings.TrimRight(text, "\r"))
	return nil
}

func (s *search) result(pattern string) agent.ToolResult {
	if s.hits == 0 {
		fmt.Fprintf(&s.out, "No line matches %s.\n", pattern)
	}
	if s.binary > 0 {
		s.notes = append(s.notes, fmt.Sprintf("binary files that were left out: %d", s.binary))
	}
	for _, note := range s.notes {
		fmt.Fprintf(&s.out, "[… %s …]\n", note)
	}
	return agent.ToolResult{Content: s.out.String()}
}
