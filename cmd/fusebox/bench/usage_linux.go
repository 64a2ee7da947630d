package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time of another process. The kernel's clock of a process
// is as fine as nanoseconds; the times under /proc are counted in hundredths of a second.
func cpuTime(pid int) (time.Duration, error) {
	const schedulerClock = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|schedulerClock, &t); err != nil {
		return 0, fmt.Errorf("read the server's processor time: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// memory is the resident memory of another process.
func memory(pid int) (m resident, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m, fmt.Errorf("read the server's memory: %w", err)
	}
	for line := range bytes.Lines(raw) {
		fields := bytes.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kilobytes, _ := strconv.ParseFloat(string(fields[1]), 64)
		megabytes := kilobytes * 1024 / 1e6
		switch string(fields[0]) {
		case "VmRSS:":
			m.now = megabytes
		case "VmHWM:":
			m.peak = megabytes
		case "RssAnon:":
			m.own = megabytes
		}
	}
	return m, nil
}

// seesProcesses says that the two above work here.
const seesProcesses = true
