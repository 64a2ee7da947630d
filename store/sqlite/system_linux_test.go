package sqlite

import (
	"os"
	"syscall"
	"testing"
)

// TestOwnLockIsSeenAmongMany: the server that did not see its lock once took its database for lost,
// and wrote nothing until it was started again.
func TestOwnLockIsSeenAmongMany(t *testing.T) {
	t.Parallel()
	var files []*os.File
	for range 90 {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		files = append(files, f)
	}
	lock := func(kind int16, files ...*os.File) {
		for _, f := range files {
			_ = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: kind})
		}
	}
	own, changing, staying := files[0], files[1:11], files[61:]
	info, err := own.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if at, err := lockedAt(info); at != "" || err != nil {
		t.Error("nothing is locked yet")
	}
	lock(syscall.F_WRLCK, own)
	lock(syscall.F_WRLCK, files[11:61]...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for t.Context().Err() == nil {
			lock(syscall.F_WRLCK, changing...)
			lock(syscall.F_UNLCK, changing...)
		}
	}()
	t.Cleanup(func() { <-done })
	for _, f := range staying { // one by one, so that the first one comes to the end of what is read at once
		lock(syscall.F_WRLCK, f)
		for range 60 {
			if at, err := lockedAt(info); at == "" || err != nil {
				t.Fatal("the lock is not seen")
			}
		}
	}
	lock(syscall.F_UNLCK, own)
	if at, err := lockedAt(info); at != "" || err != nil {
		t.Error("the lock is released")
	}
}
