package service

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"fusebox/agent"
	"fusebox/agent/documents"
)

// NoteWords are what a note of a message says besides it: above its sources, and for documents
// that are deleted.
type NoteWords struct{ Sources, Deleted string }

// SaveMessage keeps a message of one of the person's chats as a note: its text with the sources that
// it cites below a heading. It is called name, or else what the message itself says. Where a
// document has the same text already, it is that one.
func (s *Documents) SaveMessage(ctx context.Context, v agent.Viewer, messageID, name string, words NoteWords) (agent.Document, error) {
	m, err := s.Store.OwnMessage(ctx, v, messageID)
	if err != nil {
		return agent.Document{}, err
	}
	text := m.Content
	if len(m.Citations) > 0 {
		text += "\n\n## " + words.Sources + "\n\n"
	}
	for _, c := range m.Citations {
		title := strings.Join(strings.Fields(c.Name), " ")
		if title == "" && c.PassageID != "" {
			title = words.Deleted
		}
		text += fmt.Sprintf("- [%d] %s", c.N, title)
		if c.URL != "" {
			text += " <" + c.URL + ">"
		}
		text += "\n"
	}
	if name == "" {
		name = nameOfText(m.Content)
	}
	d, err := s.SaveNote(ctx, v.UserID, name, text)
	if said := agent.FieldErrors(err)["text"]; said != "" {
		err = agent.InvalidField("messageId", "is of a message that cannot be a note: its text %s", said)
	}
	return d, err
}

// maxNamed is how many characters of a text its name takes.
const maxNamed = 60

var (
	heading = regexp.MustCompile(`(?m)^#{1,6}[ \t]+(.*\S)`)
	fences  = regexp.MustCompile("(?ms)^(```|~~~).*?(^(```|~~~)|\\z)")
	marks   = regexp.MustCompile("\\[\\d+\\]|[*_`#>|~]+|^\\s*(?:[-+]|\\d+[.)])\\s+")
)

// nameOfText is its first heading, or its first words.
func nameOfText(text string) string {
	name := text
	if m := heading.FindStringSubmatch(fences.ReplaceAllString(text, "")); m != nil {
		name = m[1]
	}
	for line := range strings.Lines(name) {
		name = strings.Map(func(r rune) rune {
			if documents.Unseen(r) {
				return -1
			}
			return r
		}, strings.TrimSpace(marks.ReplaceAllString(strings.TrimSpace(line), "")))
		if name != "" {
			break
		}
	}
	short := []rune(name)
	if len(short) <= maxNamed {
		return name
	}
	name = string(short[:maxNamed])
	if cut := strings.LastIndexByte(name, ' '); cut > len(name)/2 {
		name = name[:cut]
	}
	return name + "…"
}
