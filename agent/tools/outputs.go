package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// outputs keeps results that are too long to be inline, as
// outputs/<conversation>/<run>/<call>.txt in the data folder.
type outputs struct {
	dir string
	// documents says which documents a call has read; nil for a server without any.
	documents Documents
}

// create makes the file of a call's output and returns its name for people.
func (o *outputs) create(in agent.ToolInput) (*os.File, string, error) {
	name := outputName(in.ConversationID, in.RunID, in.CallID)
	root, err := o.folder(name)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = root.Close() }()
	f, err := createNew(root, name)
	if err != nil {
		return nil, "", fmt.Errorf("make file of an output: %w", err)
	}
	return f, path.Join("outputs", name), nil
}

// folder opens the outputs, with the folder of a file below them made where there is none.
func (o *outputs) folder(name string) (*os.Root, error) {
	root, err := os.OpenRoot(o.dir)
	if err != nil {
		return nil, fmt.Errorf("open outputs: %w", err)
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("make folder of outputs: %w", err), root.Close())
	}
	return root, nil
}

// keepImage keeps a picture of a call's result, as outputs/<conversation>/<run>/<name>.
func (o *outputs) keepImage(in agent.ToolInput, img agent.Image) error {
	name := path.Join(fileName(in.ConversationID), fileName(in.RunID), img.Name)
	root, err := o.folder(name)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Lstat(name); err == nil && info.Size() == img.Bytes {
		return nil // another call of the run has shown it
	}
	f, err := createNew(root, name)
	if err != nil {
		return fmt.Errorf("make file of a picture: %w", err)
	}
	_, err = f.Write(img.Data)
	return errors.Join(err, f.Close())
}

// imageName is how keepImage names files.
var imageName = regexp.MustCompile(`^[0-9a-f]{32}\.(png|jpg|gif|webp)$`)

// Image opens a picture of a run's results. NotFound where there is none.
func (r *Registry) Image(conversationID, runID, name string) (io.ReadSeekCloser, agent.WorkspaceFile, error) {
	none := agent.Errorf(agent.NotFound, "There is no such picture in this run.")
	if !imageName.MatchString(name) {
		return nil, agent.WorkspaceFile{}, none
	}
	f, err := r.outputs.open(path.Join(fileName(conversationID), fileName(runID), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, agent.WorkspaceFile{}, none
	}
	if err != nil {
		return nil, agent.WorkspaceFile{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, agent.WorkspaceFile{}, errors.Join(err, f.Close())
	}
	return f, agent.WorkspaceFile{Path: name, Bytes: info.Size(), ModifiedAt: info.ModTime().UTC()}, nil
}

// ImageData is a whole picture of a run's results.
func (r *Registry) ImageData(conversationID, runID, name string) ([]byte, error) {
	f, _, err := r.Image(conversationID, runID, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, agent.MaxImageBytes))
}

// holds reports whether a clean path names a kept output of a conversation, as results
// name them, and where that is below o.dir.
func (o *outputs) holds(conversationID, name string) (below string, ok bool) {
	below, ok = strings.CutPrefix(name, "outputs/")
	return below, ok && strings.Count(below, "/") == 2 && strings.HasPrefix(below, fileName(conversationID)+"/")
}

// open opens a kept output by its name below o.dir.
func (o *outputs) open(below string) (*os.File, error) {
	root, err := os.OpenRoot(o.dir)
	if err != nil {
		return nil, fmt.Errorf("open outputs: %w", err)
	}
	defer func() { _ = root.Close() }()
	return openChecked(root, below, workspaces{}.check)
}

// documentsOf are those that a kept output has been made of, by its name below o.dir. NotFound
// where one of them is closed.
func (o *outputs) documentsOf(ctx context.Context, conversationID, below string) (read []string, err error) {
	if o.documents == nil {
		return nil, nil
	}
	all, err := o.documents.CallDocuments(ctx, conversationID)
	for _, d := range all {
		if outputName(conversationID, d.RunID, d.CallID.CallID) != below {
			continue
		}
		if d.Closed {
			return nil, agent.Errorf(agent.NotFound, sources.Closed)
		}
		read = append(read, d.DocumentID)
	}
	return read, err
}

// outputName is where the output of a call is, below the folder of all.
func outputName(conversationID, runID, callID string) string {
	return path.Join(fileName(conversationID), fileName(runID), fileName(callID)+".txt")
}

// Output opens the kept output of a call. NotFound where none was kept, or where it is of documents
// that are not open to the conversation's owner any more.
func (r *Registry) Output(ctx context.Context, conversationID, runID, callID string) (io.ReadCloser, error) {
	name := outputName(conversationID, runID, callID)
	if _, err := r.outputs.documentsOf(ctx, conversationID, name); err != nil {
		return nil, err
	}
	f, err := r.outputs.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, agent.Errorf(agent.NotFound, "No output of this call was kept.")
	}
	return f, err
}

func (o *outputs) keep(in agent.ToolInput, text string) (where string, err error) {
	f, where, err := o.create(in)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return where, err
}

// Bounds of file names made of ids: how long one may be to stand as it is, and how much
// of a longer one stays readable.
const (
	maxFileName  = 100
	readableName = 60
)

// fileName makes a plain file name of an id, which a provider may have chosen. No two
// ids have the same: where one cannot stand as it is, a hash of it follows a ~, which
// is in no plain name.
func fileName(id string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
	if isOption(plain) {
		plain = "_" + plain[1:]
	}
	if plain == id && id != "" && len(id) <= maxFileName {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return plain[:min(len(plain), readableName)] + "~" + hex.EncodeToString(sum[:12])
}
