package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"fusebox/agent/sandbox/room"
)

// leftEvery is how often End looks whether a program has ended by itself, and leftWait how
// long it lets it.
const (
	leftEvery = 5 * time.Millisecond
	leftWait  = 500 * time.Millisecond
)

// ProcessID names a program's supervisor so that a later server can find it: by its number,
// its start time, and the boot of the machine, because the system reuses numbers. "" if it
// has ended.
func ProcessID(pid int) string {
	const started = 19 // the 22nd of all fields, the 20th after the name
	fields := room.Stat(pid)
	if len(fields) <= started {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = nil
	}
	return fmt.Sprintf("%d-%s-%s", pid, fields[started], bytes.TrimSpace(boot))
}

// End ends what is left of a program that this or another server has started, and returns
// once nothing is. A supervisor notices that its server is gone; one that does
// not is killed, after all that it has started.
func End(ctx context.Context, id string) error {
	pid, ok := supervisor(id)
	if !ok {
		return nil
	}
	var killed []string // what is killed may take a moment to be gone
	for began := time.Now(); alive(id) || slices.ContainsFunc(killed, alive); time.Sleep(leftEvery) {
		if ctx.Err() != nil {
			return fmt.Errorf("end process %d: %w", pid, ctx.Err())
		}
		if time.Since(began) < leftWait || !alive(id) {
			continue
		}
		for _, p := range room.Descendants(pid) {
			if own := ProcessID(p); !slices.Contains(killed, own) {
				killed = append(killed, own)
			}
		}
		room.EndDescendants(pid)
		if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("end process %d: %w", pid, err)
		}
	}
	return nil
}

// supervisor finds the process that an id names, if it still is that process.
func supervisor(id string) (pid int, ok bool) {
	number, _, _ := strings.Cut(id, "-")
	pid, err := strconv.Atoi(number)
	if err != nil || !alive(id) {
		return 0, false
	}
	line, err := os.ReadFile("/proc/" + number + "/cmdline")
	return pid, err == nil && strings.Contains(string(line), "\x00"+room.Supervisor+"\x00")
}

// alive reports whether the process of an id is there, and no zombie.
func alive(id string) bool {
	number, _, _ := strings.Cut(id, "-")
	pid, err := strconv.Atoi(number)
	return err == nil && ProcessID(pid) == id && !room.Zombie(pid)
}
