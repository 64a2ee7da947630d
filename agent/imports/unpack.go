package imports

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"fusebox/agent"
)

const (
	// saveEvery is after how many files that change nothing the report is kept.
	saveEvery = 100
	// hostPause is how long a host is left alone after a page of it.
	hostPause = 2 * time.Second
	// pageTime is how long a page may take to arrive.
	pageTime = 30 * time.Second
)

// unpacking is an import at work.
type unpacking struct {
	*Queue
	in      agent.Import
	paths   map[string]bool
	unsaved int
	opened  []func() error       // parts on the disk, to be closed and dropped
	asked   map[string]time.Time // hosts, and when they were asked last
}

// unpack makes documents of what an import has, from where it was left off. An error says that it
// has to wait: for room, or for the next process.
func (q *Queue) unpack(ctx context.Context, in agent.Import) error {
	u := &unpacking{Queue: q, in: in, paths: map[string]bool{}, asked: map[string]time.Time{}}
	problem, err := u.all(ctx)
	for _, end := range u.opened {
		err = errors.Join(err, end())
	}
	if err != nil {
		if ctx.Err() != nil || agent.CodeOf(err) == agent.Full { // nothing is to blame
			u.in.Tries = 0
		}
		return errors.Join(err, q.Store.SaveImport(context.WithoutCancel(ctx), u.in))
	}
	u.in.State, u.in.Problem = agent.ImportDone, problem
	if problem != "" {
		u.in.State = agent.ImportFailed
	}
	if err := q.Store.SaveImport(ctx, u.in); err != nil {
		return err
	}
	if err := q.Library.Sweep(ctx); err != nil { // it is done again with the next one
		q.Log.Warn("removing the file of an import failed", "import_id", in.ID, "error", err)
	}
	return nil
}

func (u *unpacking) all(ctx context.Context) (agent.ImportProblem, error) {
	if u.in.Tries > agent.MaxImportTries {
		return agent.ImportStopped, nil
	}
	file, err := u.Shelf.Open(u.in.File)
	if agent.CodeOf(err) == agent.NotFound {
		return agent.ImportLost, nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	entries, err := u.list(file)
	problem, err := problemOf(entries, err)
	if err != nil || problem != "" {
		return problem, err
	}
	u.in.Report.Total = len(entries)
	for _, e := range entries {
		u.paths[e.path] = true
	}
	for _, e := range entries[min(u.in.Report.Done, len(entries)):] {
		err := u.take(ctx, e)
		if errors.Is(err, errUnpacked) {
			return agent.ImportTooLarge, nil
		}
		if err != nil {
			return "", err
		}
	}
	before, err := u.Store.ImportedPaths(ctx, u.in)
	for _, p := range before {
		if _, err := url.ParseRequestURI(p); !u.paths[p] && (err != nil || u.in.Fetch) {
			u.in.Report.Miss(p)
		}
	}
	return "", err
}

// take makes a document of a file, or notes why it is none. An error ends the import, or has it wait.
func (u *unpacking) take(ctx context.Context, e entry) error {
	err := ctx.Err()
	switch {
	case err != nil:
		return err
	case e.why != "":
	case e.address != "":
		err = u.fetch(ctx, e)
	default:
		err = u.copy(ctx, e)
	}
	if _, ours := errors.AsType[fault](err); ours || errors.Is(err, errUnpacked) || ctx.Err() != nil {
		return err
	}
	if err != nil {
		e.why = reasonFor(err, e)
	}
	if e.why != "" {
		u.in.Report.LeaveOut(e.path, e.why)
	}
	u.in.Tries = 0
	u.unsaved++
	if u.unsaved >= saveEvery || e.address != "" && e.why != "" {
		u.unsaved = 0
		return u.Store.SaveImport(ctx, u.in)
	}
	return nil
}

// reasonFor is why a file is left out.
func reasonFor(err error, e entry) agent.OmitReason {
	switch {
	case agent.CodeOf(err) == agent.Conflict:
		return agent.OmitLimit
	case e.address != "":
		return agent.OmitUnreachable
	case errors.Is(err, errEntry):
		return agent.OmitTooLarge
	case errors.Is(err, errType):
		return agent.OmitType
	case errors.Is(err, errNothing):
		return agent.OmitEmpty
	}
	return agent.OmitBroken
}

var (
	errType    = errors.New("imports: the name tells no type, and the file is no text")
	errNothing = errors.New("imports: the file is empty")
)

// fault is an error that is not the file's.
type fault struct{ error }

func (f fault) Unwrap() error { return f.error }

// copy makes a document of a file in an archive.
func (u *unpacking) copy(ctx context.Context, e entry) error {
	hash, err := e.hash()
	if err != nil {
		return err
	}
	as, moved, err := u.Store.ImportedAs(ctx, u.in, e.path, hash)
	if err != nil {
		return fault{err}
	}
	if as == agent.ImportDuplicate && moved != "" && !u.paths[moved] {
		if err := u.Store.MoveSource(ctx, u.in, moved, e.path); err != nil {
			return fault{err}
		}
		as = agent.ImportUnchanged
	}
	if as == agent.ImportUnchanged || as == agent.ImportDuplicate {
		u.in.Report.Count(as, e.path)
		return nil
	}
	content, err := e.open(false)
	if err != nil {
		return err
	}
	return errors.Join(u.add(ctx, e.path, e.name, content), content.Close())
}

// add makes a document of what comes.
func (u *unpacking) add(ctx context.Context, path, name string, content io.Reader) error {
	in, err := u.Library.AddImported(ctx, u.in, path, name, content)
	switch agent.CodeOf(err) {
	case "":
		u.in, u.unsaved = in, 0
		return nil
	case agent.Invalid, agent.Conflict:
		return err
	default:
		return fault{err}
	}
}

// fetch makes a document of the page at an address.
func (u *unpacking) fetch(ctx context.Context, e entry) error {
	at, err := url.Parse(e.address)
	if err != nil {
		return err
	}
	if last, known := u.asked[at.Host]; known {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-u.Clock.After(hostPause - min(hostPause, u.Clock.Now().Sub(last))):
		}
	}
	bounded, cancel := agent.WithTimeout(ctx, u.Clock, pageTime, agent.InvalidField("url", "took too long"))
	defer cancel()
	err = u.Web.Download(bounded, e.address, func(name string, content io.Reader) error {
		if strings.HasSuffix(name, ".html") && e.name != "" {
			name = e.name + ".html"
		}
		return u.add(ctx, e.path, name, content)
	})
	u.asked[at.Host] = u.Clock.Now()
	return err
}

// textWithin is how many bytes tell whether a file is text.
const textWithin = 512

// hash is the SHA-256 of a file in hex.
func (e entry) hash() (string, error) {
	content, err := e.open(true)
	if err != nil {
		return "", err
	}
	defer func() { _ = content.Close() }()
	sum := sha256.New()
	var head bytes.Buffer
	_, err = io.CopyN(io.MultiWriter(sum, &head), content, textWithin)
	if err == nil {
		_, err = io.Copy(sum, content)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	case head.Len() == 0:
		return "", errNothing
	case e.isUnknown && bytes.IndexByte(head.Bytes(), 0) >= 0:
		return "", errType
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
