// Package unzip opens archives that nobody vouches for: what their lists of entries cost is
// bounded, and no name of an entry is ever a name on the disk.
//
// It imports the standard library alone.
package unzip

import (
	"archive/zip"
	"errors"
	"io"
	"math"
)

// ErrTooLarge is for an archive whose list of entries is longer than allowed.
var ErrTooLarge = errors.New("unzip: the list of entries is too long")

// Open reads the list of entries: at most so many, in at most so many bytes.
func Open(file io.ReaderAt, size int64, entries int, directory int64) (*zip.Reader, error) {
	bounded := &directoryReader{file: file, left: directory}
	r, err := zip.NewReader(bounded, size)
	switch {
	case bounded.left < 0:
		return nil, ErrTooLarge
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // names are never written to a disk
		return nil, err
	case len(r.File) > entries:
		return nil, ErrTooLarge
	}
	bounded.left = math.MaxInt64
	return r, nil
}

// directoryReader bounds what is read of a file while it is being opened.
type directoryReader struct {
	file io.ReaderAt
	left int64
}

func (r *directoryReader) ReadAt(p []byte, offset int64) (int, error) {
	r.left -= int64(len(p))
	if r.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return r.file.ReadAt(p, offset)
}
