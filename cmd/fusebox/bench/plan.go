package bench

import (
	"slices"
	"time"
)

// Plan says how much is measured.
type Plan struct {
	// Starts is the number of starts of the program.
	Starts int
	// Warm is the number of runs before those that are measured.
	Warm int
	// Deltas is the length of an answer that comes at once, Parallel how many of them
	// are asked for together.
	Deltas, Parallel int
	// Steps are the lengths of runs with tool calls.
	Steps []int
	// Chats are the lengths of chats, in messages, whose next turns are measured.
	Chats []int
	// First is the number of first deltas that are timed.
	First int
	// Streams is the number of streams in the measurement of memory.
	Streams int
	// Sockets is the number of websockets that are open while nothing happens.
	Sockets int
	// Runs is the number of runs at once in the measurement of many.
	Runs int
	// Paced is the number of deltas that each of them gets, one every pace.
	Paced int
	// Share is the time for which each measurement is repeated, at least once.
	Share time.Duration
}

// pace is the distance of the deltas of one run in the measurement of many.
const pace = 20 * time.Millisecond

const parts = 12

// PlanFor is a plan that takes about as long as that, with so many runs at once.
func PlanFor(whole time.Duration, runs int) Plan {
	share := whole / parts
	return Plan{
		Starts: 5, Warm: 3, Deltas: 10_000, Parallel: 8, Steps: []int{20, 200}, Chats: []int{10, 200}, First: 200,
		Streams: 100, Sockets: 1000, Runs: runs, Paced: max(50, int(share/pace)), Share: share,
	}
}

// Quick is a plan for seconds: to see that everything works, not how fast it is.
func Quick(runs int) Plan {
	return Plan{Starts: 1, Warm: 1, Deltas: 500, Parallel: 4, Steps: []int{3, 10}, Chats: []int{4}, First: 5, Streams: 5, Sockets: 20, Runs: min(runs, 10), Paced: 15}
}

// OwnModel is a plan for a model that takes its time, and money: few calls, short runs.
func OwnModel(runs int) Plan {
	return Plan{Starts: 1, Warm: 1, Parallel: 4, Steps: []int{8}, First: 5, Runs: runs}
}

// maxSteps bounds the steps of a run. A given model may call more tools than it was
// asked to.
func (p Plan) maxSteps() int { return slices.Max(append(p.Steps, 0)) + 4 }

// Calls is how many calls of a given model the plan makes at most, as long as none
// has to be repeated: the first one is to see that the model answers.
func (p Plan) Calls() int {
	return 1 + p.Warm + 2*p.First + 1 + p.Parallel + p.maxSteps() + p.Runs
}
