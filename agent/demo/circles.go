package demo

import (
	"fmt"
	"strings"

	"fusebox/agent/demo/reports"
)

// circling makes the calls of a list round and round, until a person says
// something else.
func circling(t turn, next call) answer {
	switch {
	case t.guidance != "":
		return heeding(t)
	case !t.may(next.name):
		return without(t, next.name)
	}
	return use(next)
}

// deadLoop makes the same call again and again, as long as it is offered the tool.
func deadLoop(t turn) answer { return circling(t, calculate("1+1")) }

// pingPong goes back and forth between two calls.
func pingPong(t turn) answer {
	return circling(t, calculate([]string{"1+1", "2+2"}[len(t.steps)%2]))
}

// cycling goes round three calls.
func cycling(t turn) answer {
	return circling(t, calculate([]string{"1+1", "2+2", "3+3"}[len(t.steps)%3]))
}

// varying asks nearly the same each time: only the spelling differs, and the
// answer never does.
func varying(t turn) answer {
	return circling(t, invoke("get_weather", map[string]any{"city": "Guangzhou" + strings.Repeat(" ", len(t.steps))}))
}

// returning comes back to the same call after each new one.
func returning(t turn) answer {
	if n := len(t.steps); n%2 == 1 {
		return circling(t, calculate(fmt.Sprintf("%d*%d", n, n+1)))
	}
	return circling(t, calculate("1+1"))
}

// shuffled are the sums of shuffling, by number: all are new at first, and then
// come again without an order.
var shuffled = []int{1, 2, 3, 4, 2, 1, 4, 3, 1, 3, 2, 4, 1, 2, 4, 3}

// shuffling makes calls that were all made before, in no order.
func shuffling(t turn) answer {
	n := shuffled[len(t.steps)%len(shuffled)]
	return circling(t, calculate(fmt.Sprintf("%d+%d", n, n)))
}

// failing reads files that do not exist.
func failing(t turn) answer {
	return circling(t, invoke("read_file", map[string]any{"path": fmt.Sprintf("missing-%d.txt", len(t.steps)+1)}))
}

// wandering keeps doing new things that lead nowhere; only a judge sees it, or
// the limits of steps and time.
func wandering(t turn) answer {
	n := len(t.steps) + 1
	return circling(t, calculate(fmt.Sprintf("%d*%d+%d", n, n, n)))
}

// inventing calls tools that do not exist.
func inventing(t turn) answer {
	if t.guidance != "" || len(t.offered) == 0 {
		return heeding(t)
	}
	return use(invoke([]string{"teleport", "beam", "warp"}[len(t.steps)%3], map[string]any{}))
}

// polling asks a weather buoy until it has measured. The buoy is made up for
// this run, so that each run sees one that is not ready yet.
func polling(t turn) answer {
	buoy := "Weather buoy " + t.now.Format("150405.000000")
	if s, did := t.last(); did {
		if w := reports.Read(s.results[0]); w.Known() {
			return say(t.in("The buoy has measured. ", "浮标测到了。") + sentences(t, s))
		}
		buoy = argument(s.calls[0], "city")
	}
	return circling(t, invoke("get_weather", map[string]any{"city": buoy}))
}
