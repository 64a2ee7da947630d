package reading

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/unzip"
)

// What the list of an archive's entries may cost.
const (
	maxEntries   = 10_000
	maxDirectory = 8 << 20 // bytes
)

// archive is a zip file. All that comes out of its entries counts towards one limit; what
// the file says of their sizes does not.
type archive struct {
	ctx     context.Context
	entries map[string]*zip.File
	left    int64 // bytes that may still come out
}

// failure is an error that makes the whole file unreadable, not just one part.
type failure agent.DocumentProblem

func (f failure) Error() string { return "reading: " + string(f) }

// archived makes a format of what reads an archive. Errors of a whole file become its problem.
func archived(read func(*archive, *builder) error) format {
	return func(ctx context.Context, in input, b *builder) agent.DocumentProblem {
		a, err := openArchive(ctx, in)
		if err == nil {
			err = read(a, b)
		}
		var whole failure
		switch {
		case errors.As(err, &whole):
			return agent.DocumentProblem(whole)
		case err == nil && (len(b.text) > 0 || !b.isBroken()):
			return ""
		case a.saysTooLarge(b.options.Unpacked):
			return agent.ProblemTooLarge
		}
		return agent.ProblemBroken
	}
}

// isBroken reports whether a part could not be read.
func (b *builder) isBroken() bool {
	return slices.ContainsFunc(b.reading.Notes, func(n agent.ReadingNote) bool { return n.Code == agent.NoteBroken })
}

// saysTooLarge reports whether the entries are too large by what the file says of them, which
// people understand better than that it is not whole.
func (a *archive) saysTooLarge(limit int64) bool {
	var sum uint64
	for _, f := range a.entries {
		sum += min(f.UncompressedSize64, 1<<40)
	}
	return sum > uint64(limit)
}

// openArchive reads the list of entries.
func openArchive(ctx context.Context, in input) (*archive, error) {
	zipped, err := unzip.Open(in.file, in.size, maxEntries, maxDirectory)
	switch {
	case errors.Is(err, unzip.ErrTooLarge):
		return nil, failure(agent.ProblemTooLarge)
	case err != nil:
		return nil, failure(agent.ProblemBroken)
	}
	a := &archive{ctx: ctx, left: in.options.Unpacked, entries: make(map[string]*zip.File, len(zipped.File))}
	for _, f := range zipped.File {
		a.entries[entryKey(f.Name)] = f
	}
	return a, nil
}

// entryKey is under what an entry is found: writers do not agree on slashes and case.
func entryKey(name string) string {
	return strings.TrimLeft(strings.ToLower(strings.ReplaceAll(name, `\`, "/")), "/")
}

func (a *archive) has(name string) bool { return a.entries[entryKey(name)] != nil }

// open begins to read an entry.
func (a *archive) open(name string) (io.Reader, error) {
	f := a.entries[entryKey(name)]
	if f == nil {
		return nil, fmt.Errorf("reading: %s: %w", name, fs.ErrNotExist)
	}
	if f.Flags&1 != 0 {
		return nil, failure(agent.ProblemLocked)
	}
	raw, err := f.OpenRaw()
	if err != nil {
		return nil, err
	}
	switch f.Method {
	case zip.Store:
		return &inflated{a, raw}, nil
	case zip.Deflate:
		return &inflated{a, flate.NewReader(raw)}, nil
	}
	return nil, fmt.Errorf("reading: %s: %w", name, zip.ErrAlgorithm)
}

// inflated is an entry as it comes out.
type inflated struct {
	from *archive
	raw  io.Reader
}

func (r *inflated) Read(p []byte) (int, error) {
	if r.from.ctx.Err() != nil {
		return 0, failure(agent.ProblemStopped)
	}
	n, err := r.raw.Read(p)
	r.from.left -= int64(n)
	if r.from.left < 0 {
		return 0, failure(agent.ProblemTooLarge)
	}
	return n, err
}

// spare notes a part of a file that could not be read. It returns an error that is about
// the whole file.
func spare(b *builder, err error, about agent.ReadingNote) error {
	if _, whole := errors.AsType[failure](err); whole || err == nil {
		return err
	}
	about.Code = agent.NoteBroken
	b.note(about)
	return nil
}
