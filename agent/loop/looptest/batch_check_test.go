package looptest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// place is where a call is in its answer, -1 for the call of the next one.
func (b *batchRun) place(id string) int {
	return slices.IndexFunc(b.batch, func(c agent.CallRequest) bool { return c.ID == id })
}

// executes is a tool of the batch at work: some calls leave doubt about their end.
func (b *batchRun) executes(name string, in agent.ToolInput) agent.ToolResult {
	b.tell("executes %s %s", name, in.Args)
	if i := b.place(in.CallID); slices.Contains(inOrder, name) {
		if i < b.last {
			b.t.Errorf("%s ran behind %s", in.CallID, b.batch[b.last].ID)
		}
		b.last = i
		for _, c := range b.snapshot().Calls {
			if c.State == agent.CallAwaiting || c.State == agent.CallValidating || c.State == agent.CallUncertain {
				b.t.Errorf("%s ran while %s was %s", in.CallID, c.ID, c.State)
			}
		}
		if b.rng.IntN(8) == 0 {
			return agent.ToolResult{Content: "half a result", ErrorType: agent.ErrTimeout}
		}
	}
	if b.rng.IntN(5) == 0 {
		b.act()
	}
	return agent.ToolResult{Content: "result of " + name + " " + string(in.Args)}
}

// modelIsAsked holds that the model is asked only once all calls have their result.
func (b *batchRun) modelIsAsked() {
	for _, c := range b.snapshot().Calls {
		if !c.State.Ended() {
			b.t.Errorf("the model is asked while %s is %s", c.ID, c.State)
		}
	}
}

// check looks at a run that is over.
func (b *batchRun) check() {
	snap := b.snapshot()
	gaveUp := b.aborted && snap.Run.Status == agent.StatusAborted // else it was finished a moment before
	if !gaveUp && snap.Run.Status != agent.StatusFinished {
		b.t.Errorf("the run is %s (%s)", snap.Run.Status, snap.Run.StopReason)
	}
	results := map[string]string{}
	var order []string
	for _, m := range snap.Branch {
		if m.Role == agent.FromTool && m.ToolCallID != "z" {
			order, results[m.ToolCallID] = append(order, m.ToolCallID), m.Content
		}
	}
	var want []string
	for _, c := range b.batch {
		want = append(want, c.ID)
	}
	if len(snap.Calls) > 0 && !slices.Equal(order, want) {
		b.t.Errorf("results of %v, want %v", order, want)
	}
	for _, a := range snap.Approvals {
		if a.Status.Open() || a.Status == agent.ApprovalDecided && !a.Applied {
			b.t.Errorf("the run is over, and the card of %s is %s (applied %v)", a.ToolCallID, a.Status, a.Applied)
		}
	}
	for _, c := range snap.Calls {
		if b.place(c.ID) >= 0 {
			b.checkCall(snap, c, results[c.ID])
		}
	}
}

// checkCall checks a call's result and its executions against the decision about it.
func (b *batchRun) checkCall(snap *agent.Snapshot, c agent.ToolCall, result string) {
	asked := b.batch[b.place(c.ID)]
	args, permits, runsAgain, text := asked.Arguments, !slices.Contains([]string{"ask", "broken", "nowhere"}, c.Name), 0, ""
	switch c.Name {
	case "broken":
		text = "Error (invalid_tool_params)"
	case "nowhere":
		text = "Error (tool_not_registered)"
	}
	for _, a := range snap.Approvals {
		if a.ToolCallID != c.ID {
			continue
		}
		switch {
		case a.Status == agent.ApprovalDecided && a.Decision == agent.DecideReject:
			permits, text = permits && a.Kind == agent.KindOutcome, "because of "+c.ID
		case a.Status == agent.ApprovalDecided && a.Decision == agent.DecideAnswer:
			text = "said of " + c.ID
		case a.Status == agent.ApprovalDecided && a.Kind == agent.KindOutcome:
			runsAgain++
		case a.Status == agent.ApprovalDecided:
			args = string(a.Args)
			if a.Decision == agent.DecideEdit {
				args = string(a.EditedArgs)
			}
		case a.Kind == agent.KindTool:
			permits = false // cancelled: nobody let it run
		}
	}
	if text == "" {
		text = "result of " + c.Name + " " + args
	}
	if c.State != agent.CallCancelled && !strings.Contains(result, text) {
		b.t.Errorf("%s has the result %q, want %q", c.ID, result, text)
	}
	b.checkExecutions(c, args, permits, runsAgain)
}

// checkExecutions holds how often and with what a call ran.
func (b *batchRun) checkExecutions(c agent.ToolCall, args string, permits bool, runsAgain int) {
	ran := 0
	for _, text := range b.tools.runs {
		name, executed, _ := strings.Cut(text, " ")
		var in struct{ ID string }
		if json.Unmarshal([]byte(executed), &in) != nil || in.ID != c.ID {
			continue
		}
		ran++
		if name != c.Name || executed != args || !permits {
			b.t.Errorf("%s ran as %s, may %v with %s", c.ID, text, permits, args)
		}
	}
	least, most := 0, 0
	if permits {
		least, most = 1+runsAgain, 1+runsAgain
	}
	if c.Name == "look" || c.Name == "pull" {
		most += b.kills
	}
	if b.snapshot().Run.Status == agent.StatusAborted {
		least = 0
	}
	if ran < least || ran > most {
		b.t.Errorf("%s ran %d times, want %s", c.ID, ran, fmt.Sprint(least, " to ", most))
	}
}
