package tools

import (
	"context"
	_ "embed" // the description is a file
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/sources"
)

//go:embed document_read.md
var documentReadText string

// documentRead reads the document that the person has open beside the chat.
type documentRead struct {
	documents Documents
	inline    int // bytes of a result that the model reads
	clock     agent.Clock
}

func (documentRead) Spec() agent.ToolSpec {
	s := builtin(sources.ReadTool, documentReadText, `{
		"type": "object", "additionalProperties": false,
		"properties": {
			"part": {"type": "integer", "minimum": 1, "maximum": 100000, "description": "Which part of a long document, from 1; the first by default"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Set, s.ForDocument = agent.EffectRead, agent.RiskLow, true, agent.DocumentTools, true
	return s
}

// readPassage names a passage of a part, for citations.
type readPassage struct {
	ID         string `json:"id"`
	DocumentID string `json:"documentId"`
	Name       string `json:"name"`
	Place      string `json:"place,omitempty"`
	Begins     string `json:"begins"`
}

// begins is about how many characters of a passage tell which one it is.
const begins = 40

func (t documentRead) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	args := struct{ Part int }{1}
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	d, err := t.read(ctx, in)
	if err != nil {
		return unfound(err)
	}
	text, sections, err := t.documents.DocumentText(ctx, in.UserID, d.ID, d.Answers)
	if err != nil {
		return unfound(err)
	}
	size := t.inline / 2 // the rest is for quotes and passages
	parts := max(1, (len(text)+size-1)/size)
	if args.Part > parts {
		return failed(agent.ErrInvalidParams, "part: the document ends with part %d.", parts)
	}
	from, to := partStart(text, (args.Part-1)*size, size), partStart(text, args.Part*size, size)
	found, err := t.documents.PassagesOf(ctx, in.UserID, d.ID, d.Answers, from, to)
	if err != nil {
		return unfound(err)
	}
	said := struct {
		// Passages come first: they are numbered, also where the text is cut.
		Passages []readPassage `json:"passages"`
		Name     string        `json:"name"`
		Part     int           `json:"part"`
		Parts    int           `json:"parts"`
		Text     string        `json:"text"`
	}{[]readPassage{}, d.Name, args.Part, parts, seenText(text, sections, from, to)}
	for _, f := range found {
		said.Passages = append(said.Passages, readPassage{f.PassageID, f.DocumentID, f.Name, f.Place, agent.Clip(strings.Join(strings.Fields(f.Text), " "), begins)})
	}
	return encode(said)
}

// A document that has just been added is waited for, as it is mostly read within a second.
const (
	readWait = 20 * time.Second
	lookWait = 250 * time.Millisecond
)

// read is the open document once a version of it answers.
func (t documentRead) read(ctx context.Context, in agent.ToolInput) (agent.Document, error) {
	for inTime := t.clock.After(readWait); ; {
		d, err := t.documents.Document(ctx, in.UserID, in.DocumentID, 0)
		if agent.CodeOf(err) == agent.NotFound {
			err = agent.Errorf(agent.NotFound, "The document that was open is not there any more. Tell the person.")
		}
		switch {
		case err != nil || d.Answers > 0:
			return d, err
		case d.State == agent.DocumentFailed:
			return d, agent.Errorf(agent.Conflict, "The document has no text that can be read: %s. Tell the person; its page says what helps.", d.Reading.Problem)
		}
		select {
		case <-t.clock.After(lookWait):
		case <-inTime:
			return d, agent.Errorf(agent.Unavailable, "The document is still being read. Tell the person to ask again in a while.")
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
}

// partStart is where a part of a text begins: at a line, if one begins shortly before.
func partStart(text string, at, size int) int {
	if at >= len(text) {
		return len(text)
	}
	if line := strings.LastIndexByte(text[at-min(at, size/4):at], '\n'); line >= 0 {
		return at - min(at, size/4) + line + 1
	}
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// seenText is a part of a text below its headings, without what people do not see.
func seenText(text string, sections []agent.Section, from, to int) string {
	var b strings.Builder
	var above []string
	for _, s := range sections {
		start, end := max(s.Start, from), min(s.End, to)
		if start >= end || s.Kind == agent.KindHidden {
			continue
		}
		if len(s.Headings) > 0 && !slices.Equal(s.Headings, above) {
			b.WriteString("# " + strings.Join(s.Headings, " › ") + "\n")
			above = s.Headings
		}
		b.WriteString(strings.TrimRight(text[start:end], "\n") + "\n")
	}
	return b.String()
}
