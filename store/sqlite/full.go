package sqlite

import (
	"path/filepath"

	"fusebox/agent"
)

// minFree is how much of the disk has to be free: a database that runs out of it in
// the middle of a run is worse than one that says so before.
const minFree = 8 << 20

// Room is Full where the disk with the database is: nothing is begun then that has to be
// kept. It asks the file system, and writes nothing.
func (db *DB) Room() error {
	free, known := freeBytes(filepath.Dir(db.path))
	if !known || free >= minFree {
		return nil
	}
	return agent.Errorf(agent.Full, "The disk with the database is full: %d MB are left, at least %d MB are needed.", free>>20, minFree>>20)
}
