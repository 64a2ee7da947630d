package service

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/documents"
	"fusebox/agent/imports"
)

// NewImport is what a person says of an import. CollectionID is agent.OwnCollection, too, where it is ""; Name is that of
// the file or folder.
type NewImport struct {
	Name, CollectionID string
	Fetch              bool
}

// Import takes in many files at once, as they are handed over; said is asked for once they have arrived. They are
// unpacked in the background, and become documents.
func (s *Documents) Import(ctx context.Context, userID string, each imports.Each, said func() NewImport) (agent.Import, error) {
	in := agent.Import{ID: s.NewID(), UserID: userID, CollectionID: userID, State: agent.ImportRunning, CreatedAt: agent.Stamp(s.Clock)}
	received, source, err := s.receiveImport(each)
	if err != nil {
		return in, err
	}
	in.File, in.Bytes, in.Source = received.File, received.Bytes, documents.NameOf(source)
	if in, err = named(in, said()); err == nil {
		err = s.Store.AddImport(ctx, in)
	}
	if err != nil {
		return in, errors.Join(err, s.Shelf.Drop(received))
	}
	if err := s.Shelf.Keep(received); err != nil { // it is safe where it is, and put there by the next start
		s.Log.Warn("putting a received import on the shelf failed", "import_id", in.ID, "error", err)
	}
	if s.Imports != nil {
		s.Imports.Wake()
	}
	return in, nil
}

// receiveImport has what is handed over on the disk, as one file.
func (s *Documents) receiveImport(each imports.Each) (received documents.Received, source string, err error) {
	from, to := io.Pipe()
	packed := make(chan struct{})
	go func() {
		defer close(packed)
		var broken error
		source, broken = imports.Pack(to, each)
		_ = to.CloseWithError(broken) // it never fails
	}()
	received, err = s.Shelf.ReceiveImport(from)
	_ = from.Close() // it never fails
	<-packed
	return received, source, err
}

// named is an import with what its person says of it.
func named(in agent.Import, said NewImport) (agent.Import, error) {
	in.Fetch, in.Name = said.Fetch, strings.TrimSpace(said.Name)
	switch {
	case said.CollectionID != "" && said.CollectionID != agent.OwnCollection:
		return in, agent.Errorf(agent.NotFound, "There is no such collection.")
	case utf8.RuneCountInString(in.Name) > agent.MaxImportName:
		return in, agent.InvalidField("name", "is too long; at most %d characters are allowed", agent.MaxImportName)
	case strings.ContainsFunc(in.Name, documents.Unseen):
		return in, agent.InvalidField("name", "has characters that are not seen; leave them out")
	case in.Name == "":
		in.Name = cmp.Or(imports.NameOf(in.Source), in.Source)
	}
	return in, nil
}

// errUnneeded is for a received file that adds nothing.
var errUnneeded = errors.New("service: the file is known")

// AddImported takes in a file of an import, and notes in that what has become of it.
func (s *Documents) AddImported(ctx context.Context, in agent.Import, path, name string, content io.Reader) (agent.Import, error) {
	r, err := s.Shelf.Receive(content)
	if err != nil {
		return in, err
	}
	d := agent.Document{ID: s.NewID(), AddedBy: in.UserID, CollectionID: in.CollectionID, Name: documents.NameOf(name)}
	_, err = s.keep(ctx, d, r, func(ctx context.Context, d agent.Document) (agent.Document, error) {
		var err error
		if d, in, err = s.Store.AddImported(ctx, d, in, path); err == nil && d.Version == 0 {
			err = errUnneeded
		}
		return d, err
	})
	if errors.Is(err, errUnneeded) {
		err = nil
	}
	return in, err
}
