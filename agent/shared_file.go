package agent

import (
	"context"
	"slices"
	"time"
)

// SharedFiles are the files of a workspace for a run that shares it with the other runs of
// its tree.
type SharedFiles struct {
	Known KnownFiles
	// Written lists what the other runs have written, or may be writing, newest first.
	Written func(ctx context.Context) ([]FileWrite, error)
}

// FileWrite is a file that a run has written.
type FileWrite struct {
	// By names the run's agent for a model.
	By   string
	Path string
	// At is when the call was over, zero where that is still to come.
	At time.Time
}

// FileUse is what a call has made of a file of the workspace.
type FileUse struct {
	Path string
	// Version tells the content that the run knows from others; "" where it does not know all
	// of what it has changed.
	Version string
	Wrote   bool
}

// KnownFile is what a run knows of a file that it shares.
type KnownFile struct {
	Path string `json:"path"`
	// Version is that of the content which the run has read or written last, "" for none, and
	// SeenAt is no later than that.
	Version string    `json:"version,omitempty"`
	SeenAt  time.Time `json:"seenAt,omitzero"`
	// WroteAt is when the run was done with writing to it, zero for never.
	WroteAt time.Time `json:"wroteAt,omitzero"`
}

// KnownFiles are those that a run has used, the newest last.
type KnownFiles []KnownFile

const maxKnownFiles = 200

// Of is what is known of a file, zero for nothing.
func (fs KnownFiles) Of(path string) KnownFile {
	i := slices.IndexFunc(fs, func(f KnownFile) bool { return f.Path == path })
	if i < 0 {
		return KnownFile{Path: path}
	}
	return fs[i]
}

// With are the files after a call that has used one. Where there are too many, what was only
// read is forgotten first.
func (fs KnownFiles) With(use FileUse, began, ended time.Time) KnownFiles {
	f := fs.Of(use.Path)
	if use.Version != "" {
		f.Version, f.SeenAt = use.Version, began
	}
	if use.Wrote {
		f.WroteAt = ended
	}
	rest := slices.DeleteFunc(slices.Clone(fs), func(old KnownFile) bool { return old.Path == use.Path })
	if len(rest) >= maxKnownFiles {
		oldest := max(0, slices.IndexFunc(rest, func(old KnownFile) bool { return old.WroteAt.IsZero() }))
		rest = slices.Delete(rest, oldest, oldest+1)
	}
	return append(rest, f)
}
