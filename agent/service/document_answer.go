package service

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"fusebox/agent"
	"fusebox/agent/documents"
	"fusebox/agent/sources"
)

// NoteWords are the words that a saved message needs in its reader's language: the heading of its
// sources, what stands for the name of a document that was deleted or is not open to the person any
// more, and the note's own name where the message has no words to take it from.
type NoteWords struct{ Sources, Deleted, Closed, Unnamed string }

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
		switch {
		case c.Closed:
			title = words.Closed
		case title == "" && c.PassageID != "":
			title = words.Deleted
		}
		text += fmt.Sprintf("- [%d] %s", c.N, title)
		if c.URL != "" {
			text += " <" + c.URL + ">"
		}
		text += "\n"
	}
	d, err := s.SaveNote(ctx, v.UserID, cmp.Or(name, nameOfText(m.Content), words.Unnamed), text)
	if said := agent.FieldErrors(err)["text"]; said != "" {
		err = agent.InvalidField("messageId", "is of a message that cannot be a note: its text %s", said)
	}
	return d, err
}

// maxNamed is how many characters of a text its name takes.
const maxNamed = 60

var (
	heading = regexp.MustCompile(`(?m)^ {0,3}#{1,6}[ \t]+(.*\S)`)
	fences  = regexp.MustCompile("(?ms)^ {0,3}(?:```[^`\n]*$.*?(?:^ {0,3}```|\\z)|~~~.*?(?:^ {0,3}~~~|\\z))")
	links   = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)|[(<]https?://[^\s<>]*[)>]`)
	signs   = regexp.MustCompile("[*_`#>|~\\\\]+|^\\s*(?:[-+]|\\d+[.)])\\s+")
)

// nameOfText names a text by its first heading, or by its first words outside of code, without
// citations, addresses, and Markdown syntax. It returns "" for a text without words.
func nameOfText(text string) string {
	text = links.ReplaceAllString(sources.Unmarked(fences.ReplaceAllString(text, "")), "$1")
	if m := heading.FindStringSubmatch(text); m != nil {
		text = m[1] + "\n" + text
	}
	for line := range strings.Lines(text) {
		name := strings.Map(func(r rune) rune {
			if documents.Unseen(r) && !unicode.IsSpace(r) {
				return -1
			}
			return r
		}, signs.ReplaceAllString(strings.TrimSpace(line), ""))
		name = trimmed(strings.Join(strings.Fields(name), " "))
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			return shortened(name)
		}
	}
	return ""
}

// trimmed is a name without the punctuation at its ends.
func trimmed(name string) string { return strings.Trim(name, " .,:;!?…。，、：；！？") }

// shortened is the beginning of a name, where it is long.
func shortened(name string) string {
	short := []rune(name)
	if len(short) <= maxNamed {
		return name
	}
	name = string(short[:maxNamed])
	if cut := strings.LastIndexByte(name, ' '); cut > len(name)/2 {
		name = name[:cut]
	}
	return trimmed(name) + "…"
}
