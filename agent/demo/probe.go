package demo

import "slices"

// probeTool is what a client offers alone to see whether a model calls tools.
const probeTool = "probe"

// probing calls the probe with the word it is known for, and then says it.
func probing(t turn) (answer, bool) {
	if !slices.Equal(t.offered, []string{probeTool}) {
		return answer{}, false
	}
	if _, done := t.last(); done {
		return say("pong"), true
	}
	return use(invoke(probeTool, map[string]any{"word": "pong"})), true
}

// echoing counts to the probe's word where there are no tools, so that it can be
// seen whether an answer comes in pieces.
func echoing(t turn) (answer, bool) {
	if len(t.offered) > 0 || !t.says("pong") {
		return answer{}, false
	}
	return say("one, two, three, four, five, pong"), true
}
