package tools

import (
	"cmp"
	"context"
	_ "embed" // the description is a file
	"encoding/json"
	"slices"
	"strings"
	"time"

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
	found, err := t.documents.PassagesOf(ctx, in.UserID, d.ID, d.Answers)
	if err != nil {
		return unfound(err)
	}
	parts := partsOf(text, sections, found, t.inline)
	if args.Part > len(parts) {
		return failed(agent.ErrInvalidParams, "part: the document ends with part %d.", len(parts))
	}
	p := parts[args.Part-1]
	said := struct {
		// Passages come first: they are numbered, also where the text is cut.
		Passages []readPassage `json:"passages"`
		Name     string        `json:"name"`
		Part     int           `json:"part"`
		Parts    int           `json:"parts"`
		Text     string        `json:"text"`
	}{[]readPassage{}, d.Name, args.Part, len(parts), seenText(text, sections, p.from, p.to)}
	for _, f := range p.passages {
		said.Passages = append(said.Passages, readPassage{f.PassageID, f.DocumentID, f.Name, f.Place, beginning(text, f)})
	}
	return encode(said, d.ID)
}

// beginning is how a passage begins, in one line.
func beginning(text string, f agent.Found) string {
	return agent.Clip(strings.Join(strings.Fields(text[f.Start:min(f.End, f.Start+4*begins)]), " "), begins)
}

// textPart is a part of a text: its bytes from and to, and the passages in it.
type textPart struct {
	from, to int
	passages []agent.Found
}

// partsOf cuts a text between its passages into parts whose results are not over a limit in
// bytes, as long as no passage is alone. The same text has the same parts always.
func partsOf(text string, sections []agent.Section, found []agent.Found, limit int) []textPart {
	parts := []textPart{{}}
	room := limit - partMark
	for i, f := range found {
		next := len(text)
		if i+1 < len(found) {
			next = found[i+1].Start
		}
		last := &parts[len(parts)-1]
		begin := f.Start
		if i == 0 {
			begin = 0
		}
		size := jsonSize(seenText(text, sections, begin, next)) + jsonSize(readPassage{f.PassageID, f.DocumentID, f.Name, f.Place, beginning(text, f)})
		if room -= size; room < 0 && len(last.passages) > 0 {
			room = limit - partMark - size
			parts = append(parts, textPart{from: begin})
			last = &parts[len(parts)-1]
		}
		last.to, last.passages = next, append(last.passages, f)
	}
	parts[len(parts)-1].to = len(text)
	return parts
}

// jsonSize is how many bytes a value has as JSON.
func jsonSize(v any) int {
	raw, _ := json.Marshal(v) // what cannot be written is refused where it is
	return len(raw)
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

// seenText is a part of a text below its headings, without what people do not see.
func seenText(text string, sections []agent.Section, from, to int) string {
	var b strings.Builder
	var above []string
	first, _ := slices.BinarySearchFunc(sections, from, func(s agent.Section, at int) int { return cmp.Compare(s.End, at+1) })
	for _, s := range sections[first:] {
		start, end := max(s.Start, from), min(s.End, to)
		if s.Start >= to {
			break
		}
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
