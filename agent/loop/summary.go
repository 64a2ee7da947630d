package loop

import (
	"fmt"
	"strings"

	"fusebox/agent"
)

// closings say what can be done now, one sentence for each way to stop.
var closings = map[agent.StopReason]string{
	agent.StopMaxSteps:          "The limit of model calls was reached. Send a message to continue from here.",
	agent.StopTimeout:           "The time limit was reached. Send a message to continue from here.",
	agent.StopTokenBudget:       "The token budget is used up and was not raised. Raise it and send a message to continue.",
	agent.StopCostBudget:        "The spending budget is used up and was not raised. Raise it and send a message to continue.",
	agent.StopLoop:              "Stopped: stuck in a loop. Send a message that says what to do differently.",
	agent.StopConsecutiveErrors: "Too many tool calls failed in a row. Fix the cause, then send a message to continue.",
	agent.StopProviderError:     "Nothing is lost: retry, or send a message.",
	agent.StopRejected:          "A person stopped this run. Send a message to try another way.",
	agent.StopApprovalExpired:   "No one decided in time. Send a message to ask again.",
	agent.StopUserAbort:         "Send a message to continue from here.",
}

// closing is the sentence under an ended run: why it ended, what
// was done, what was not, and what can be done now. An answer needs none.
func closing(how ending, calls []agent.ToolCall) string {
	if how.status == agent.StatusFinished {
		return how.because
	}
	parts := []string{how.because, tally(calls), closings[how.reason]}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// tally says which tools ran and which did not.
func tally(calls []agent.ToolCall) string {
	var done, undone, unsure counts
	for _, c := range calls {
		switch {
		case c.State == agent.CallCancelled && !c.StartedAt.IsZero():
			unsure.add(c.Name)
		case c.State == agent.CallSuccess, c.State == agent.CallError && !c.StartedAt.IsZero():
			done.add(c.Name)
		default:
			undone.add(c.Name)
		}
	}
	text := "No tools ran."
	if len(done.names) > 0 {
		text = fmt.Sprintf("Done: %s.", done)
	}
	if len(undone.names) > 0 {
		text += fmt.Sprintf(" Not done: %s.", undone)
	}
	if len(unsure.names) > 0 {
		text += fmt.Sprintf(" Interrupted, may have taken effect: %s.", unsure)
	}
	return text
}

// counts are tools with how often each was called, in the order of their first call.
type counts struct {
	names []string
	times map[string]int
}

func (c *counts) add(name string) {
	if c.times == nil {
		c.times = map[string]int{}
	}
	if c.times[name] == 0 {
		c.names = append(c.names, name)
	}
	c.times[name]++
}

// maxTallied bounds the tools that a closing sentence names.
const maxTallied = 8

func (c counts) String() string {
	var parts []string
	for i, name := range c.names {
		if i == maxTallied {
			return strings.Join(parts, ", ") + fmt.Sprintf(" and %d other tools", len(c.names)-i)
		}
		if n := c.times[name]; n > 1 {
			name = fmt.Sprintf("%s (%d times)", name, n)
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}
