package main

import (
	"runtime"
	"runtime/debug"
)

// By how many percent the heap grows before it is collected.
const (
	// heapGrowth is for the server: little is live in it, so that collecting it twice
	// as often as usual is cheap.
	heapGrowth = 50
	// sweepGrowth is for a command that reads a lot, keeps little, and ends.
	sweepGrowth = 400
)

// boundHeap sets the heap's growth, unless GOGC asks for another one than Go's usual.
func boundHeap(growth int) {
	if set := debug.SetGCPercent(growth); set != 100 {
		debug.SetGCPercent(set)
	}
}

// releaseStartMemory gives back what only the start needed: parsed migrations, the
// tables of packages that are built and read once. Pools give their buffers up with
// the second collection.
func releaseStartMemory() {
	runtime.GC()
	debug.FreeOSMemory()
}
