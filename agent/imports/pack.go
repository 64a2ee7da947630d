package imports

import (
	"archive/zip"
	"bufio"
	"bytes"
	"io"
	"strings"

	"fusebox/agent"
)

// Each hands over the files that somebody sends, by their paths: the first element is the
// folder that was chosen. A file without a folder stands alone.
type Each func(take func(path string, content io.Reader) error) error

// Pack writes what is sent as one file, and says what it is called: an archive or a file of bookmarks as
// it is, a folder as an archive. Invalid, with the field file, for anything else.
func Pack(w io.Writer, each Each) (source string, err error) {
	var folder *zip.Writer
	err = each(func(path string, content io.Reader) error {
		top, inner, inFolder := strings.Cut(strings.TrimLeft(strings.ReplaceAll(path, `\`, "/"), "/"), "/")
		if source != "" && (!inFolder || folder == nil) {
			return agent.InvalidField("file", "is one of several; send a single archive, a file of bookmarks, or a folder")
		}
		if !inFolder {
			source = top
			return copyKnown(w, content)
		}
		if folder == nil {
			source, folder = top, zip.NewWriter(w)
		}
		if isIgnored(inner) {
			return nil
		}
		entry, err := folder.CreateHeader(&zip.FileHeader{Name: inner, Method: zip.Store})
		if err == nil {
			_, err = io.Copy(entry, content)
		}
		return err
	})
	if err == nil && folder != nil {
		err = folder.Close()
	}
	return source, err
}

// copyKnown copies an archive, or bookmarks.
func copyKnown(w io.Writer, content io.Reader) error {
	b := bufio.NewReaderSize(content, bookmarksWithin)
	head, _ := b.Peek(bookmarksWithin) // less, where it has less
	if !isArchive(head) && !bookmarksStart.Match(head) {
		return agent.InvalidField("file", "is neither a zip archive nor a file of bookmarks; add single files on the page Documents")
	}
	_, err := io.Copy(w, b)
	return err
}

func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}
