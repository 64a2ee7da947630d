package loop

import (
	"slices"
	"strings"

	"fusebox/agent"
)

// maxLoaded bounds the tools that one run gets into view beside those of the core.
const maxLoaded = 40

// toolView says which tools a run may use, and which of them the model gets to see: all,
// or, where they are many, those of the core and what find_tools has found. Tools come
// into view at the end of the list, so that requests begin with the ones before.
type toolView struct {
	*rows
	role   agent.Role // of the person the run works for
	memory bool       // whether that person has their memory switched on
}

// permitted are the tools that the run may use: of the conversation's sets, for its
// person, and to deliver outputs, or to read a document, only where there is one.
func (v *toolView) permitted() []agent.ToolSpec {
	return slices.DeleteFunc(slices.Clone(v.tools.Specs()), func(s agent.ToolSpec) bool { return !v.permits(s) })
}

func (v *toolView) permits(s agent.ToolSpec) bool {
	return v.withheld(s) == "" && s.MayBeUsedBy(v.role) && !v.forgets(s) && v.conv.Chooses(s.SetName()) &&
		(!s.ForOutputs || len(v.run.State.Outputs) > 0) && (!s.ForDocument || v.run.State.DocumentID != "")
}

// withheld says why the run does not have a tool because of where it stands in its tree, or by
// the definition that it works by; "" where neither keeps it from it.
func (v *toolView) withheld(s agent.ToolSpec) string {
	delegates := s.Name == agent.DelegateTool
	switch {
	case delegates && v.run.Lineage.Depth >= agent.MaxDepth:
		return "At this level no further agent can be asked. Do the work yourself."
	case delegates && len(v.family.agents) == 0:
		return "There is no agent to hand a task to. Do the work yourself."
	case delegates && v.run.State.Leads, s.Name == agent.ReadResultTool && v.run.State.ReadsOthers:
		return ""
	case s.Name == agent.ReadResultTool && !slices.ContainsFunc(v.calls.list, isDelegation):
		return "No other agent has worked for you yet."
	case !v.has(s):
		return "You do not have the tool " + s.Name + " here."
	}
	return ""
}

// has reports whether the definition that the run works by has a tool. What delivers outputs,
// and reads what others have handed in, goes with the task; and a workflow has those that it
// hands out steps with.
func (v *toolView) has(s agent.ToolSpec) bool {
	names := v.family.tools(v.run)
	return names == nil || v.run.State.Workflow != nil || s.ForOutputs || slices.Contains(names, s.Name) ||
		s.Name == agent.ReadResultTool && (v.run.State.Leads || slices.Contains(names, agent.DelegateTool))
}

// forgets reports whether a tool is of the memory that the person has switched off.
func (v *toolView) forgets(s agent.ToolSpec) bool {
	return !v.memory && s.SetName() == agent.MemoryTools
}

// offered are the tools that the model gets to see.
func (v *toolView) offered() []agent.ToolSpec {
	all := v.permitted()
	for i := range all {
		if all[i].Name == agent.DelegateTool {
			all[i].Description += v.family.choices()
		}
	}
	if !v.narrow(all) {
		return slices.DeleteFunc(all, isFinder)
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(s agent.ToolSpec) bool { return !alwaysShown(s) })
	for _, name := range v.run.State.Loaded {
		if i := slices.IndexFunc(all, func(s agent.ToolSpec) bool { return s.Name == name }); i >= 0 {
			shown = append(shown, all[i])
		}
	}
	return shown
}

// alwaysShown reports whether a tool that the run may use needs no search.
func alwaysShown(s agent.ToolSpec) bool { return s.SetName() == agent.CoreTools || s.ForDocument }

func isFinder(s agent.ToolSpec) bool { return s.Name == agent.FindToolsTool }

// narrow reports whether tools have to be found. It stays so once one was.
func (v *toolView) narrow(all []agent.ToolSpec) bool {
	if len(v.run.State.Loaded) > 0 {
		return true
	}
	if v.family.tools(v.run) != nil {
		return false // they were chosen one by one
	}
	n := len(all)
	if slices.ContainsFunc(all, isFinder) {
		n--
	}
	return v.loop.Settings.ToolsInView > 0 && n > v.loop.Settings.ToolsInView
}

// hides reports whether the run may use a tool that the model was not shown.
func (v *toolView) hides(s agent.ToolSpec) bool {
	if v.run.State.Workflow != nil || alwaysShown(s) || slices.Contains(v.run.State.Loaded, s.Name) || !v.permits(s) {
		return false
	}
	return v.narrow(v.permitted())
}

// load makes tools visible to the model, up to the limit of a run, and tells people of it.
func (v *toolView) load(r *agent.Run, names []string) []agent.Event {
	loaded := slices.Clone(r.State.Loaded)
	for _, name := range names {
		if len(loaded) < maxLoaded && !slices.Contains(loaded, name) {
			loaded = append(loaded, name)
		}
	}
	fresh := loaded[len(r.State.Loaded):]
	if len(fresh) == 0 {
		return nil
	}
	r.State.Loaded = loaded
	return events(agent.Notice{Message: "Tools that are in view from here on: " + strings.Join(fresh, ", ")})
}

// checkFound refuses what does not fit into view any more.
func (v *toolView) checkFound(res agent.ToolResult) agent.ToolResult {
	fresh := slices.DeleteFunc(slices.Clone(res.Found), func(name string) bool { return slices.Contains(v.run.State.Loaded, name) })
	if len(fresh) > 0 && len(v.run.State.Loaded) >= maxLoaded {
		return agent.ToolResult{
			ErrorType: agent.ErrExecution, Content: "No more tools come into view in this task: use those that are, or end with what you have.",
		}
	}
	return res
}
