package present

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// groupsOf are the calls of an answer, those of one tool in a row together. A task that is handed
// over stands alone: it becomes the card of a run.
func groupsOf(tools []*toolCall) [][]*toolCall {
	var groups [][]*toolCall
	for _, t := range tools {
		if n := len(groups); n > 0 && groups[n-1][0].name == t.name && t.name != agent.DelegateTool {
			groups[n-1] = append(groups[n-1], t)
			continue
		}
		groups = append(groups, []*toolCall{t})
	}
	return groups
}

func groupWith(t *toolCall) []*toolCall {
	if t.of == nil {
		return nil
	}
	for _, g := range groupsOf(t.of.tools) {
		if slices.Contains(g, t) {
			return g
		}
	}
	return nil
}

func groupID(g []*toolCall) string { return g[0].id + "-g" }

func groupsProps(tools []*toolCall) []part.ToolGroup {
	var groups []part.ToolGroup
	for _, g := range groupsOf(tools) {
		props := groupProps(g)
		for _, t := range g {
			props.Tools = append(props.Tools, t.props())
		}
		groups = append(groups, props)
	}
	return groups
}

func (a *answer) toolRows() templ.Component { return part.ToolRows(a.id+"-t", groupsProps(a.tools)) }

// groupProps is what the head of a group says of its calls.
func groupProps(g []*toolCall) part.ToolGroup {
	worst, alike := g[0], 0
	for _, t := range g {
		if urgency[t.state] > urgency[worst.state] {
			worst, alike = t, 0
		}
		if t.state == worst.state {
			alike++
		}
	}
	props := part.ToolGroup{ID: groupID(g), Name: g[0].name, Count: len(g), Objects: objectsOf(g), State: string(worst.state), Label: worst.label()}
	if alike < len(g) {
		props.Label = worst.Text.T("present.tool.some", alike, props.Label)
	}
	if took := busyTime(g); took >= worthTelling {
		props.Took = Seconds(took)
	}
	return props
}

// urgency ranks states: the head of a group shows the one that a person must know of.
var urgency = map[agent.CallState]int{
	agent.CallCancelled: 1, agent.CallScheduled: 2, agent.CallValidating: 2, "": 2,
	agent.CallError: 3, agent.CallExecuting: 4, agent.CallUncertain: 5, agent.CallAwaiting: 6,
}

// objectsOf are the arguments that matter, each once, as many as fit into a line.
func objectsOf(g []*toolCall) string {
	seen := map[string]bool{}
	var objects []string
	length := 0
	for _, t := range g {
		object := ""
		if t.written {
			object = agent.Clip(t.gist(), maxPreview)
		}
		if object == "" || seen[object] {
			continue
		}
		seen[object] = true
		objects = append(objects, object)
		if length += len(object); length > maxPreview {
			break
		}
	}
	return agent.Clip(strings.Join(objects, ", "), maxPreview)
}

// busyTime is how long at least one of the calls ran.
func busyTime(g []*toolCall) time.Duration {
	var busy time.Duration
	var until time.Time
	for _, t := range g {
		if t.took == 0 {
			continue
		}
		from, to := t.began, t.began.Add(t.took)
		if from.Before(until) {
			from = until
		}
		if to.After(from) {
			busy, until = busy+to.Sub(from), to
		}
	}
	return busy
}

// addTools shows more calls at the end of an answer.
func (as *answers) addTools(a *answer, more ...*toolCall) {
	before := len(a.tools)
	a.tools = append(a.tools, more...)
	if !as.live {
		return
	}
	last := groupWith(more[0])
	switch was := len(last) - len(more); {
	case was >= part.FewestGrouped && last[len(last)-1] == a.tools[len(a.tools)-1]:
		for _, t := range more {
			as.append(groupID(last)+"-r", part.ToolCard(t.props()))
		}
		as.replace(groupID(last)+"-s", part.ToolGroupHead(groupProps(last)))
	case len(last) < part.FewestGrouped:
		for _, t := range a.tools[before:] {
			as.append(a.id+"-t", part.ToolCard(t.props()))
		}
	default:
		as.replace(a.id+"-t", a.toolRows())
	}
}

// join shows the calls of an answer that says nothing of its own with those of the
// answer above it, where they are of the same tool.
func (as *answers) join(a *answer) {
	n := len(as.items)
	if n < 2 || as.items[n-1].answer != a || as.items[n-2].answer == nil {
		return
	}
	above := as.items[n-2].answer
	if !a.silent() || above.final == nil || len(above.tools) == 0 {
		return
	}
	last := above.tools[len(above.tools)-1]
	if slices.ContainsFunc(a.tools, func(t *toolCall) bool { return t.name != last.name || t.run != last.run }) {
		return
	}
	as.items = as.items[:n-1]
	as.put(opJoin, a.id, above.id)
	for _, t := range a.tools {
		t.of = above
	}
	as.addTools(above, a.tools...)
}

// silent reports whether a final answer is calls alone.
func (a *answer) silent() bool {
	return a.final != nil && strings.TrimSpace(a.final.Content) == "" && a.reasoning == "" && len(a.waits) == 0 && len(a.tools) > 0
}
