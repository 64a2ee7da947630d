package tools

import (
	"context"
	"fmt"
	"os"
	"sync"

	"fusebox/agent"
)

// turns has the runs of a tree edit files one after another. There is one turn for a whole
// workspace: links, and letter case on some file systems, give a file several paths.
type turns struct {
	mu   sync.Mutex
	busy map[string]*turn // by conversation
}

// turn is that of one conversation; it is kept as long as somebody has it or waits for it.
type turn struct {
	free chan struct{}
	many int
}

// wait takes the turn of a conversation, until leave gives it back.
func (ts *turns) wait(ctx context.Context, conversationID string) (leave func(), err error) {
	ts.mu.Lock()
	t := ts.busy[conversationID]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		ts.busy[conversationID] = t
	}
	t.many++
	ts.mu.Unlock()
	gone := func() {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		if t.many--; t.many == 0 {
			delete(ts.busy, conversationID)
		}
	}
	select {
	case <-t.free:
	case <-ctx.Done():
		gone()
		return nil, ctx.Err()
	}
	leave = func() { t.free <- struct{}{}; gone() }
	if ctx.Err() != nil { // both were ready
		leave()
		return nil, ctx.Err()
	}
	return leave, nil
}

// turn waits until no other run of the tree edits a file. A run alone need not.
func (w workspaces) turn(ctx context.Context, in agent.ToolInput) (leave func(), err error) {
	if in.Shared == nil {
		return func() {}, nil
	}
	return w.turns.wait(ctx, in.ConversationID)
}

// version tells one content of a file from others. No tool here writes more than is read of a
// file, so that the size is enough for the rest.
func version(raw string, size int64) string {
	if size > int64(len(raw)) {
		raw += fmt.Sprint(size)
	}
	return hashOf(raw)
}

// sight is the use of a file that is about to be read, nil for a run alone. Where the file
// changes meanwhile, the run has seen the older content.
func (w workspaces) sight(root *os.Root, in agent.ToolInput, name string) *agent.FileUse {
	if in.Shared == nil {
		return nil
	}
	raw, size, err := w.read(root, name)
	if err != nil {
		return nil
	}
	return &agent.FileUse{Path: name, Version: version(raw, size)}
}

// wrote is the use of a file whose whole content the run has written.
func wrote(in agent.ToolInput, name, raw string) *agent.FileUse {
	if in.Shared == nil {
		return nil
	}
	return &agent.FileUse{Path: name, Version: hashOf(raw), Wrote: true}
}

// wrotePart is the use of a file in which the run has changed a part. What it did not know of the
// rest before, it does not know now.
func wrotePart(in agent.ToolInput, name, was, now string) *agent.FileUse {
	use := wrote(in, name, now)
	if use != nil && in.Shared.Known.Of(name).Version != hashOf(was) {
		use.Version = ""
	}
	return use
}

// conflict says who else has written a file since the run has read or written it, "" for
// nobody. The caller has the turn, so that this stays true.
func (w workspaces) conflict(ctx context.Context, root *os.Root, in agent.ToolInput, name, now string) (string, error) {
	if in.Shared == nil {
		return "", nil
	}
	known := in.Shared.Known.Of(name)
	if known.Version == now {
		return "", nil
	}
	writes, err := in.Shared.Written(ctx)
	if err != nil {
		return "", err
	}
	for _, o := range writes {
		path, err := within(o.Path)
		switch {
		case err != nil, !o.At.IsZero() && o.At.Before(known.SeenAt), !sameFile(root, name, path):
		case known.Version == "":
			return fmt.Sprintf("made or changed by %s, and you have not read it since", o.By), nil
		default:
			return fmt.Sprintf("changed by %s since you read it", o.By), nil
		}
	}
	return "", nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(root *os.Root, a, b string) bool {
	if a == b {
		return true
	}
	ofA, errA := root.Stat(a)
	ofB, errB := root.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ofA, ofB)
}
