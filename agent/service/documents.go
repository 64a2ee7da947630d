package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/documents"
)

// Documents has the commands on people's documents and their collections. All of them are
// about what is open to one person: all else is NotFound, and what they may only read Forbidden to change.
type Documents struct {
	Store interface {
		DocumentStore
		ImportStore
	}
	Collections CollectionStore
	Shelf       *documents.Shelf
	// Queue is told that something waits to be read.
	Queue *documents.Queue
	// Imports is told that something waits to be unpacked.
	Imports Waker
	// Web fetches what people name by its address.
	Web Downloader
	// Finder finds their passages.
	Finder Finder
	Clock  agent.Clock
	NewID  agent.NewID
	Log    *slog.Logger
}

// Add takes in a file as a new document, which is then read, in a collection, the person's own
// documents for "". Where the same file is in it already, it waits for a decision: its Problem is
// ProblemDuplicate.
func (s *Documents) Add(ctx context.Context, userID, collectionID, name string, content io.Reader) (agent.Document, error) {
	added, err := s.AddForm(ctx, userID, func(take func(string, io.Reader) error) (string, error) { return collectionID, take(name, content) })
	if err != nil {
		return agent.Document{}, err
	}
	return added[0], nil
}

// maxForm is how many files one form may have.
const maxForm = 1000

// AddForm is Add for the files of a form, which read hands over as they arrive, before it tells to
// which collection they go: a form may say so behind its files. Where it cannot be read none of them is
// added; where one of them is refused, those before it are.
func (s *Documents) AddForm(ctx context.Context, userID string, read func(take func(name string, content io.Reader) error) (collectionID string, err error)) ([]agent.Document, error) {
	var names []string
	var files []documents.Received
	defer func() { // those that were not added
		for _, r := range files {
			s.drop(r)
		}
	}()
	collectionID, err := read(func(name string, content io.Reader) error {
		if len(files) == maxForm {
			return agent.InvalidField("file", "is one too many; at most %d at once are allowed", maxForm)
		}
		r, err := s.Shelf.Receive(content)
		if err == nil {
			names, files = append(names, documents.NameOf(name)), append(files, r)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var added []agent.Document
	for _, name := range names {
		r := files[0]
		files = files[1:]
		d, err := s.keep(ctx, agent.Document{ID: s.NewID(), AddedBy: userID, CollectionID: collectionOf(userID, collectionID), Name: name}, r, s.Store.AddDocument)
		if err != nil {
			return added, err
		}
		added = append(added, d)
	}
	return added, nil
}

// AddFromAddress is Add for the file, or the page, at an address. What is wrong with it is said of
// the field url.
func (s *Documents) AddFromAddress(ctx context.Context, userID, collectionID, address string) (d agent.Document, err error) {
	err = s.Web.Download(ctx, strings.TrimSpace(address), func(name string, content io.Reader) error {
		d, err = s.Add(ctx, userID, collectionID, name, content)
		if refused := agent.FieldErrors(err)["file"]; refused != "" {
			return agent.InvalidField("url", "%s", refused)
		}
		return err
	})
	return d, err
}

// AddNote keeps what a person writes as a document in Markdown.
func (s *Documents) AddNote(ctx context.Context, userID, collectionID, name, text string) (agent.Document, error) {
	name, err := documentName(strings.TrimSuffix(name, ".md"))
	if err == nil {
		err = checkNote(text)
	}
	if err != nil {
		return agent.Document{}, err
	}
	name = strings.NewReplacer("/", "-", `\`, "-").Replace(name) // a slash would make folders of it
	return s.Add(ctx, userID, collectionID, name+".md", strings.NewReader(text))
}

// SaveNote is AddNote for agents, whose calls may be repeated after a crash: where a document has
// the same text already, it is that one.
func (s *Documents) SaveNote(ctx context.Context, userID, name, text string) (agent.Document, error) {
	sum := sha256.Sum256([]byte(text))
	d, err := s.Store.SameDocument(ctx, userID, hex.EncodeToString(sum[:]))
	if agent.CodeOf(err) == agent.NotFound {
		d, err = s.AddNote(ctx, userID, "", name, text)
	}
	return d, err
}

// EditNote replaces what a note says. Conflict for a document that is none.
func (s *Documents) EditNote(ctx context.Context, userID, id, text string) (agent.Document, error) {
	d, err := s.Store.Document(ctx, userID, id, 0)
	if err == nil && !d.IsNote() {
		err = agent.Errorf(agent.Conflict, "This document is not edited in place. Replace its file.")
	}
	if err == nil {
		err = checkNote(text)
	}
	if err != nil {
		return d, err
	}
	return s.Replace(ctx, userID, id, strings.NewReader(text))
}

func checkNote(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return agent.InvalidField("text", "is missing; write something")
	case len(text) > agent.MaxNoteBytes:
		return agent.InvalidField("text", "is too long; at most %d KB are allowed", agent.MaxNoteBytes>>10)
	case !utf8.ValidString(text):
		return agent.InvalidField("text", "must be valid UTF-8")
	}
	return nil
}

// AddSamples adds documents to try a search with, in a language.
func (s *Documents) AddSamples(ctx context.Context, userID, language string) error {
	return documents.EachSample(language, func(name string, content io.Reader) error {
		_, err := s.Add(ctx, userID, "", name, content)
		return err
	})
}

// Replace takes in a file in the place of a document's newest one, which answers until the new
// one has been read, and if it cannot be.
func (s *Documents) Replace(ctx context.Context, userID, id string, content io.Reader) (agent.Document, error) {
	d, err := s.Store.Document(ctx, userID, id, 0)
	if err != nil {
		return d, err
	}
	d.AddedBy = userID
	r, err := s.Shelf.Receive(content)
	if err != nil {
		return d, err
	}
	return s.keep(ctx, d, r, s.Store.AddDocumentVersion)
}

// keep stores a document with its file, or forgets that.
func (s *Documents) keep(ctx context.Context, d agent.Document, r documents.Received, add func(context.Context, agent.Document) (agent.Document, error)) (agent.Document, error) {
	d.File, d.Bytes, d.Hash, d.State, d.DuplicateOf, d.Reading = r.File, r.Bytes, r.Hash, agent.DocumentReading, "", agent.Reading{}
	d.AddedAt = agent.Stamp(s.Clock)
	if d.CreatedAt.IsZero() {
		d.CreatedAt = d.AddedAt
	}
	d, err := add(ctx, d)
	if err != nil {
		s.drop(r)
		return d, err
	}
	if err := s.Shelf.Keep(r); err != nil { // it is safe where it is, and put there by the next start
		s.Log.Warn("putting a received file on the shelf failed", "document_id", d.ID, "error", err)
	}
	s.Queue.Wake()
	return d, nil
}

func (s *Documents) drop(r documents.Received) {
	if err := s.Shelf.Drop(r); err != nil {
		s.Log.Warn("forgetting a received file failed", "error", err)
	}
}

// Open opens the file of a version, the newest for 0.
func (s *Documents) Open(ctx context.Context, userID, id string, version int) (io.ReadSeekCloser, agent.Document, error) {
	d, err := s.Store.Document(ctx, userID, id, version)
	if err != nil {
		return nil, d, err
	}
	f, err := s.Shelf.Open(d.File)
	return f, d, err
}

// Text is what was read of a version; of the one that answers, or else the newest, for 0.
func (s *Documents) Text(ctx context.Context, userID, id string, version int) (agent.Document, string, error) {
	d, err := s.Store.Document(ctx, userID, id, version)
	if err == nil && version == 0 && d.Answers > 0 && d.Answers != d.Version {
		d, err = s.Store.Document(ctx, userID, id, d.Answers)
	}
	if err != nil {
		return d, "", err
	}
	text, _, err := s.Store.DocumentText(ctx, userID, id, d.Version)
	return d, text, err
}

// Rename gives a document another name.
func (s *Documents) Rename(ctx context.Context, userID, id, name string) error {
	name, err := documentName(name)
	if err != nil {
		return err
	}
	return s.Store.RenameDocument(ctx, userID, id, name)
}

// documentName checks a name that a person types.
func documentName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", agent.InvalidField("name", "is missing")
	case utf8.RuneCountInString(name) > agent.MaxDocumentName:
		return "", agent.InvalidField("name", "is too long; at most %d characters are allowed", agent.MaxDocumentName)
	case strings.ContainsFunc(name, documents.Unseen):
		return "", agent.InvalidField("name", "has characters that are not seen; leave them out")
	}
	return name, nil
}

// Delete deletes a document with its text, all its versions, and their files.
func (s *Documents) Delete(ctx context.Context, userID, id string) error {
	if err := s.Store.DeleteDocument(ctx, userID, id); err != nil {
		return err
	}
	s.Queue.Forget(id)
	s.Queue.Wake() // a duplicate of it may be read now
	if err := s.Sweep(ctx); err != nil {
		s.Log.Warn("removing the files of a deleted document failed, they are tried again", "document_id", id, "error", err)
	}
	return nil
}

// sweptAtOnce is how many files of deleted documents are listed at a time.
const sweptAtOnce = 100

// Sweep removes files of deleted documents from the disk. What cannot be removed is tried again
// with the next one.
func (s *Documents) Sweep(ctx context.Context) error {
	for after := ""; ; {
		files, err := s.Store.DocumentLeftovers(ctx, after, sweptAtOnce)
		if err != nil || len(files) == 0 {
			return err
		}
		var gone []string
		for _, file := range files {
			after = file
			if err := s.Shelf.Remove(file); err != nil {
				s.Log.Warn("the file of a deleted document could not be removed", "file", file, "error", err)
			} else {
				gone = append(gone, file)
			}
		}
		if err := s.Store.ForgetDocumentLeftovers(ctx, gone); err != nil {
			return err
		}
	}
}
