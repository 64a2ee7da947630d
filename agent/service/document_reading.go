package service

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"fusebox/agent"
	"fusebox/agent/encoded"
)

// HowToRead is what a person says when a document is to be read again.
type HowToRead struct {
	// Password opens the file. It is used once and kept nowhere.
	Password string
	// Choice stays with the version; nil leaves that as it is.
	Choice *agent.ReadingChoice
}

// ReadAgain has a file be read once more: one that could not be read, that the person
// wants to keep although they have it already, or that is to be read in another way.
func (s *Documents) ReadAgain(ctx context.Context, userID, id string, how HowToRead) error {
	d, err := s.Store.Document(ctx, userID, id, 0)
	if err == nil {
		err = how.check(d)
	}
	if err != nil {
		return err
	}
	err = s.Queue.Unlock(id, how.Password, func() error { return s.Store.ReadDocumentAgain(ctx, userID, id, how.Choice) })
	if err == nil {
		s.Queue.Wake()
	}
	return err
}

// Encodings are those that can be chosen.
func Encodings() []string { return encoded.Names() }

func (h HowToRead) check(d agent.Document) error {
	if c := h.Choice; c != nil {
		switch {
		case !d.TakesChoice() && c.Encoding != "":
			return agent.InvalidField("encoding", "can be chosen for text, source code, Markdown, and CSV only")
		case c.Encoding != "" && !slices.Contains(encoded.Names(), c.Encoding):
			return agent.InvalidField("encoding", "is not known; known are %s", strings.Join(encoded.Names(), ", "))
		case d.Reading.Type != agent.TypeCSV && c.Separator != "":
			return agent.InvalidField("separator", "can be chosen for CSV only")
		case c.Separator != "" && !slices.Contains(agent.Separators(), c.Separator):
			return agent.InvalidField("separator", "must be a comma, a semicolon, a tab, or |")
		case !d.TakesChoice():
			return agent.Errorf(agent.Conflict, "Nothing can be chosen for this document.")
		}
	}
	switch {
	case h.Password == "":
	case !d.TakesPassword():
		return agent.InvalidField("password", "is for PDFs that are locked; this document is none")
	case len(h.Password) > agent.MaxPassword:
		return agent.InvalidField("password", "is too long; at most %d bytes are allowed", agent.MaxPassword)
	case strings.ContainsFunc(h.Password, unicode.IsControl):
		return agent.InvalidField("password", "has characters that are not seen; leave them out")
	}
	return nil
}
