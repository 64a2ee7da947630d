package agent

import "time"

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
