package service

import (
	"cmp"
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
	// Encoding and Separator stay with the version: nil leaves one as it is, "" has it found.
	Encoding, Separator *string
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
	err = s.Queue.Unlock(id, how.Password, func() error { return s.Store.ReadDocumentAgain(ctx, userID, id, how.Encoding, how.Separator) })
	if err == nil {
		s.Queue.Wake()
	}
	return err
}

// Encodings are those that can be chosen.
func Encodings() []string { return encoded.Names() }

func (h HowToRead) check(d agent.Document) error {
	none := ""
	encoding, separator := *cmp.Or(h.Encoding, &none), *cmp.Or(h.Separator, &none)
	switch {
	case h == HowToRead{}:
		return nil
	case d.State == agent.DocumentReading:
		return agent.Errorf(agent.Conflict, "This document waits to be read. Choose when that is done.")
	case encoding != "" && !d.TakesChoice():
		return agent.InvalidField("encoding", "can be chosen for text, source code, Markdown, and CSV only")
	case encoding != "" && !slices.Contains(encoded.Names(), encoding):
		return agent.InvalidField("encoding", "is not known; known are %s", strings.Join(encoded.Names(), ", "))
	case separator != "" && d.Reading.Type != agent.TypeCSV:
		return agent.InvalidField("separator", "can be chosen for CSV only")
	case separator != "" && !slices.Contains(agent.Separators(), separator):
		return agent.InvalidField("separator", "must be a comma, a semicolon, a tab, or |")
	case (h.Encoding != nil || h.Separator != nil) && !d.TakesChoice():
		return agent.Errorf(agent.Conflict, "Nothing can be chosen for this document.")
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
