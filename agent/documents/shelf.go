package documents

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"fusebox/agent"
)

// Folder is the one in the data folder that has the files.
const Folder = "documents"

// arriving is the folder of files whose documents are not stored yet.
const arriving = ".arriving"

// Shelf keeps files under names that say nothing about them.
type Shelf struct{ root *os.Root }

// OpenShelf opens the folder below the data folder, making it where needed.
func OpenShelf(data string) (*Shelf, error) {
	dir := filepath.Join(data, Folder)
	if err := os.MkdirAll(filepath.Join(dir, arriving), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of documents: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of documents: %w", err)
	}
	return &Shelf{root}, nil
}

// Received is a file that has arrived completely, and is not on the shelf yet.
type Received struct {
	File  string
	Bytes int64
	// Hash is the SHA-256 of the bytes in hex.
	Hash string
}

// Receive takes a file in as it arrives. Invalid where it breaks off, has nothing in it,
// or is too large; Full where the disk is. Then nothing of it is kept.
func (s *Shelf) Receive(content io.Reader) (Received, error) {
	return s.receiveUpTo(content, agent.MaxDocumentBytes)
}

// ReceiveImport is Receive for what has many documents in it.
func (s *Shelf) ReceiveImport(content io.Reader) (Received, error) {
	return s.receiveUpTo(content, agent.MaxImportBytes)
}

func (s *Shelf) receiveUpTo(content io.Reader, most int64) (Received, error) {
	r := Received{File: rand.Text()}
	err := s.receive(&r, content, most)
	if err == nil {
		err = s.sync(arriving)
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		err = agent.Wrap(agent.Full, err, "The disk with the documents is full, so this one was not kept. Make room, or send a smaller one.")
	}
	if err != nil {
		return r, errors.Join(err, s.Drop(r))
	}
	return r, nil
}

func (s *Shelf) receive(r *Received, content io.Reader, most int64) error {
	f, err := s.root.OpenFile(draft(r.File), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	r.Bytes, err = io.Copy(io.MultiWriter(f, sum), io.LimitReader(content, most+1))
	var onDisk *fs.PathError
	switch {
	case errors.As(err, &onDisk):
	case agent.CodeOf(err) == agent.Invalid: // it says so itself
	case err != nil:
		err = agent.Wrap(agent.Invalid, err, "The file did not arrive completely. Send it again.")
	case r.Bytes > most:
		err = agent.InvalidField("file", "is too large; at most %d MB are allowed", most>>20)
	case r.Bytes == 0:
		err = agent.InvalidField("file", "is empty; choose one with something in it")
	default:
		err = f.Sync()
	}
	r.Hash = hex.EncodeToString(sum.Sum(nil))
	return errors.Join(err, f.Close())
}

func draft(file string) string { return path.Join(arriving, file) }

// Keep puts a received file on the shelf, once its document is stored. Until then Open finds
// it where it is.
func (s *Shelf) Keep(r Received) error {
	if err := s.root.Rename(draft(r.File), r.File); err != nil {
		return err
	}
	return s.sync(".")
}

// sync has what a folder lists survive a power loss.
func (s *Shelf) sync(folder string) error {
	f, err := s.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Drop forgets a received file.
func (s *Shelf) Drop(r Received) error { return remove(s.root, draft(r.File)) }

// Open opens a file; NotFound where it is gone.
func (s *Shelf) Open(file string) (*os.File, error) {
	for _, name := range []string{file, draft(file), file} { // it may be put on the shelf meanwhile
		f, err := s.root.Open(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, agent.Errorf(agent.NotFound, "This document’s file is missing on the server. Replace it.")
}

// Remove removes a file; it is no error where there is none.
func (s *Shelf) Remove(file string) error {
	return errors.Join(remove(s.root, draft(file)), remove(s.root, file))
}

func remove(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Recover ends what a process before this one has left half done: what has arrived for a
// stored document goes on the shelf, all else that was arriving is forgotten. It is called before
// anything arrives.
func (s *Shelf) Recover(ctx context.Context, stored func(ctx context.Context, file string) (bool, error)) error {
	drafts, err := fs.ReadDir(s.root.FS(), arriving)
	if err != nil {
		return fmt.Errorf("list what was arriving: %w", err)
	}
	var errs []error
	for _, d := range drafts {
		known, err := stored(ctx, d.Name())
		switch r := (Received{File: d.Name()}); {
		case err != nil:
			errs = append(errs, err)
		case known:
			errs = append(errs, s.Keep(r))
		default:
			errs = append(errs, s.Drop(r))
		}
	}
	return errors.Join(errs...)
}
