package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// FileLimits bound what people put into workspaces, in bytes.
type FileLimits struct {
	File, Workspace int64
}

// WorkspaceFile is a file of a conversation's workspace.
type WorkspaceFile struct {
	// Path is relative to the workspace, with slashes.
	Path       string    `json:"path"`
	Bytes      int64     `json:"bytes"`
	ModifiedAt time.Time `json:"modifiedAt,omitzero"`
}

// WorkspaceListing are the files of a workspace, sorted by path.
type WorkspaceListing struct {
	Files []WorkspaceFile `json:"items"`
	// More says that not all files are listed.
	More bool `json:"more"`
	// UsedBytes is the size of all of them, LimitBytes how much people may fill it up to.
	UsedBytes  int64 `json:"usedBytes"`
	LimitBytes int64 `json:"limitBytes"`
}

// SeenFile is a file of the workspace that decides what a call does, as it was when
// people were asked.
type SeenFile struct {
	Path string `json:"path"`
	// Hash is that of its content.
	Hash string `json:"hash"`
	// Wide marks a file that the call does not name but may well use.
	Wide bool `json:"wide,omitempty"`
}

// EarlierCall is a call of the same answer that runs before the one that is shown.
type EarlierCall struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	// Asks says that it waits for a decision of its own; else it runs without one.
	Asks    bool   `json:"asks"`
	Command string `json:"command,omitempty"`
	Diff    string `json:"diff,omitempty"`
	// Writes are the files that it leaves, as far as its arguments say.
	Writes []SeenFile `json:"writes,omitempty"`
	// Leaves are the contents of those files, for what the calls after this one would do.
	Leaves map[string]string `json:"-"`
	// Args are given to the tool to find out the rest; empty where that is done.
	Args json.RawMessage `json:"-"`
}

// FileChange is a file that is not what it was.
type FileChange struct {
	Path string `json:"path"`
	// What is "changed", "new" or "gone".
	What string `json:"what"`
}

// ChangedFiles compares files that were seen with those of now.
func ChangedFiles(then, now []SeenFile) []FileChange {
	var changes []FileChange
	for _, n := range now {
		i := slices.IndexFunc(then, func(t SeenFile) bool { return t.Path == n.Path })
		if i < 0 {
			changes = append(changes, FileChange{n.Path, "new"})
		} else if then[i].Hash != n.Hash {
			changes = append(changes, FileChange{n.Path, "changed"})
		}
	}
	for _, t := range then {
		if !slices.ContainsFunc(now, func(n SeenFile) bool { return t.Path == n.Path }) {
			changes = append(changes, FileChange{t.Path, "gone"})
		}
	}
	return changes
}

// AllSeen reports whether all files of now were seen as they are.
func AllSeen(then, now []SeenFile) bool {
	return !slices.ContainsFunc(ChangedFiles(then, now), func(c FileChange) bool { return c.What != "gone" })
}

// NamedFiles are those that a call names.
func NamedFiles(files []SeenFile) []SeenFile {
	return slices.DeleteFunc(slices.Clone(files), func(f SeenFile) bool { return f.Wide })
}

var changeWords = map[string]string{"changed": "has changed", "new": "is new", "gone": "is gone"}

// ChangesText names what has changed since a moment, in one sentence.
func ChangesText(changes []FileChange, since string) string {
	if len(changes) == 0 {
		return ""
	}
	text := changes[0].Path + " " + changeWords[changes[0].What]
	switch more := len(changes) - 1; {
	case more == 1:
		text += ", and so has another file,"
	case more > 1:
		text += fmt.Sprintf(", and so have %d other files,", more)
	}
	return text + " since " + since + "."
}

// Image is a picture in a tool's result. Its bytes are a file beside the kept outputs of
// its run.
type Image struct {
	// Name is that of the file. It is made of what is in it: the same picture is one file.
	Name  string `json:"name"`
	Type  string `json:"type"` // such as image/png, by what is in it
	Bytes int64  `json:"bytes"`
	// Data is the picture on its way from its tool; it is in no row.
	Data []byte `json:"-"`
}

// Bounds of the pictures of one result. Endpoints take about 5 MB of base64.
const (
	MaxImages     = 8
	MaxImageBytes = 3 << 20
)

// ImageNames tell results apart whose texts say the same of other pictures; "" for none.
func ImageNames(images []Image) (names string) {
	for _, img := range images {
		names += " " + img.Name
	}
	return names
}
