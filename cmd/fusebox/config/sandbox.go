package config

import (
	"strconv"
	"time"

	"fusebox/agent/sandbox"
)

// sandboxKeys are the limits of programs that tools start.
func sandboxKeys() []key {
	number := func(path string, usual, lo, hi int64, field func(*sandbox.Limits) *int64) key {
		return int64Key(path, strconv.FormatInt(usual, 10), lo, hi, func(c *Config) *int64 { return field(&c.Sandbox) })
	}
	const most = 1 << 44 // 16 TB
	return []key{
		number("sandbox.max_memory", sandbox.Usual.Memory, 128<<20, most, func(l *sandbox.Limits) *int64 { return &l.Memory }),
		number("sandbox.max_processes", sandbox.Usual.Processes, 32, 1<<20, func(l *sandbox.Limits) *int64 { return &l.Processes }),
		number("sandbox.max_file", sandbox.Usual.FileSize, 1<<20, most, func(l *sandbox.Limits) *int64 { return &l.FileSize }),
		number("sandbox.max_workspace", sandbox.Usual.Folder, 1<<20, most, func(l *sandbox.Limits) *int64 { return &l.Folder }),
		number("sandbox.max_temp", sandbox.Usual.Temp, 1<<20, most, func(l *sandbox.Limits) *int64 { return &l.Temp }),
		durationKey("sandbox.max_cpu", "1h", time.Second, 1000*time.Hour, func(c *Config) *time.Duration { return &c.Sandbox.CPU }),
	}
}
