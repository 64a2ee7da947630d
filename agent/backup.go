package agent

import "time"

// Leftover is a deleted conversation whose files could not be removed from the disk.
type Leftover struct {
	ConversationID string
	// Since is when that was tried first, Tried the last time.
	Since, Tried time.Time
	// Problem is what the file system said.
	Problem string
}

// Backup is what a backup has saved, and what it lacks.
type Backup struct {
	At    time.Time `json:"at"`
	Bytes int64     `json:"bytes"`
	// Files is how many files it has, Missing which it lacks.
	Files   int           `json:"files"`
	Missing []MissingFile `json:"missing,omitempty"`
	// More is how many of those that it lacks are not named.
	More int `json:"more,omitempty"`
	// Empty are sockets, pipes, and devices: it lacks them, but they hold nothing.
	Empty []MissingFile `json:"-"`
}

// LastBackupKey is the setting that says what the last backup was, as JSON of a Backup.
const LastBackupKey = "backup.last"

// MissingCount is how many files a backup lacks.
func (b Backup) MissingCount() int { return len(b.Missing) + b.More }

// MissingFile is a file that a backup lacks. Name is a path below the data folder, quoted
// as in Go where it cannot be printed; Detail is what the system said.
type MissingFile struct {
	Name   string        `json:"name"`
	Why    MissingReason `json:"why"`
	Detail string        `json:"detail,omitempty"`
}

// MissingReason is why a backup lacks a file.
type MissingReason string

// Reasons why a backup lacks a file.
const (
	MissingTooLarge   MissingReason = "too_large"  // for a row of the archive: 512 MB
	MissingTooDeep    MissingReason = "too_deep"   // 256 folders
	MissingUnreadable MissingReason = "unreadable" // see Detail
	MissingNoFile     MissingReason = "no_file"    // a socket, a pipe, a device
)
