package imports

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"fusebox/agent"
	"fusebox/agent/reading"
	"fusebox/agent/unzip"
)

// maxDirectory is how many bytes the list of entries of an archive has at most.
const maxDirectory = 32 << 20

var (
	errUnpacked = errors.New("imports: more comes out of the archive than is imported")
	errEntry    = errors.New("imports: the file is larger than a document may be")
)

// entry is a file of an import, or the address of one.
type entry struct {
	path, name string
	// why it is left out, "" where it is not.
	why agent.OmitReason
	// isUnknown says that the name tells no type: then it has to be text.
	isUnknown bool
	// open begins to read it. What comes out the first time counts.
	open func(first bool) (io.ReadCloser, error)
	// address is what is fetched in place of a file.
	address string
}

// nestedPart are the archives in an archive of Notion, which parts what is large.
var nestedPart = regexp.MustCompile(`(?i)^[^/]*-part-\d+\.zip$`)

// archive lists the files of archives: one, and those in it that Notion makes of a large export.
// What comes out of all is counted as it comes; what the archives say of their sizes is not.
type archive struct {
	left    int64 // bytes that may still come out
	entries []entry
	keep    func(io.Reader) (io.ReaderAt, int64, error) // has a part on the disk
}

// add lists the entries of an archive. Parts are opened where they are not in parts themselves.
func (a *archive) add(file io.ReaderAt, size int64, inPart bool) error {
	zipped, err := unzip.Open(file, size, agent.MaxImportEntries, maxDirectory)
	if errors.Is(err, unzip.ErrTooLarge) {
		return errUnpacked
	}
	if err != nil {
		return err
	}
	for _, f := range zipped.File {
		name := nameIn(f)
		switch {
		case strings.HasSuffix(name, "/"), strings.HasSuffix(name, `\`), isIgnored(name):
			continue
		case !inPart && nestedPart.MatchString(name) && f.Flags&1 == 0:
			err = a.addPart(file, f)
		default:
			a.entries = append(a.entries, a.entryOf(name, f))
		}
		if err != nil {
			return err
		}
		if len(a.entries) > agent.MaxImportEntries {
			return errUnpacked
		}
	}
	return nil
}

// addPart lists the entries of an archive in the archive: in its place where it is stored as it
// is, or else on the disk.
func (a *archive) addPart(file io.ReaderAt, f *zip.File) error {
	if f.Method == zip.Store {
		at, err := f.DataOffset()
		if err != nil {
			return err
		}
		size := int64(min(f.CompressedSize64, agent.MaxImportBytes))
		return a.add(io.NewSectionReader(file, at, size), size, true)
	}
	content, err := f.Open()
	if err != nil {
		return err
	}
	part, size, err := a.keep(&counted{from: a, raw: content, most: agent.MaxImportBytes})
	if err := errors.Join(err, content.Close()); err != nil {
		return err
	}
	return a.add(part, size, true)
}

func (a *archive) entryOf(name string, f *zip.File) entry {
	p, safe := cleanPath(name)
	is, known := reading.TypeOfName(p)
	e := entry{path: p, name: documentName(p), isUnknown: !known, open: func(first bool) (io.ReadCloser, error) {
		content, err := f.Open()
		if err != nil || !first {
			return content, err
		}
		return &counted{a, content, agent.MaxDocumentBytes}, nil
	}}
	switch mode := f.Mode(); {
	case !safe, mode&(fs.ModeType&^fs.ModeDir) != 0:
		e.why = agent.OmitUnsafe
	case f.Flags&1 != 0:
		e.why = agent.OmitLocked
	case known && is == "":
		e.why = agent.OmitType
	}
	return e
}

// counted is an entry as it comes out.
type counted struct {
	from *archive
	raw  io.ReadCloser
	most int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.raw.Read(p)
	c.from.left -= int64(n)
	c.most -= int64(n)
	switch {
	case c.from.left < 0:
		return 0, errUnpacked
	case c.most < 0:
		return 0, errEntry
	}
	return n, err
}

func (c *counted) Close() error { return c.raw.Close() }

// tidy gives the entries of an archive the paths that documents remember: without the folder that has the
// name of the archive, where all are in it. Each path is there once, and of a database of Notion
// the table that has all rows, alone.
func (a *archive) tidy(source string) {
	top := ""
	if strings.EqualFold(path.Ext(source), ".zip") {
		top = NameOf(source) + "/"
	}
	paths := map[string]bool{}
	for _, e := range a.entries {
		if !strings.HasPrefix(e.path, top) {
			top = ""
		}
		paths[e.path] = true
	}
	kept, seen := a.entries[:0], map[string]bool{}
	for _, e := range a.entries {
		if path.Ext(e.path) == ".csv" && paths[stem(e.path)+"_all.csv"] {
			continue
		}
		if seen[e.path] && e.why == "" {
			e.why = agent.OmitDuplicate
		}
		seen[e.path] = true
		e.path = strings.TrimPrefix(e.path, top)
		kept = append(kept, e)
	}
	a.entries = kept
}
