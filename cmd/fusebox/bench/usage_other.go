//go:build !linux

package bench

import (
	"errors"
	"time"
)

func cpuTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

func memory(int) (resident, error) { return resident{}, errors.ErrUnsupported }

// seesProcesses says that there is no portable way to ask for the processor time and
// the memory of another process.
const seesProcesses = false
