package main

import (
	"runtime"
	"runtime/debug"
)

// heapGrowth is by how many percent the heap grows before it is collected: little is
// live here, so that collecting it twice as often as usual is cheap.
const heapGrowth = 50

// boundHeap sets the heap's growth, unless GOGC asks for another one than Go's usual.
func boundHeap() {
	if set := debug.SetGCPercent(heapGrowth); set != 100 {
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
