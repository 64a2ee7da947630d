package loop

import (
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// family is where the run stands in its tree: by which definition it works, for whom, and
// which of its children its calls wait for.
type family struct {
	agents   []agent.Agent
	agent    *agent.Agent    // nil for none
	workflow *agent.Workflow // nil for none
	flows    []agent.Workflow
	path     []agent.PathStep
	children []agent.Child
	list     string // see listed
}

func (f *family) load(s *agent.Snapshot) {
	f.agents, f.agent, f.workflow, f.flows, f.path, f.children, f.list = s.Agents, s.Agent, s.Workflow, s.Workflows, s.Path, s.Children, ""
	f.flows = slices.DeleteFunc(slices.Clone(f.flows), func(w agent.Workflow) bool { return f.isOnPath(w.Name) })
	if s.Run.Lineage.Depth+1 >= agent.MaxDepth { // no step could be made below it
		f.flows = nil
	}
	if team := s.Run.State.Team; team != nil {
		f.flows = nil
		f.agents = slices.DeleteFunc(slices.Clone(s.Agents), func(a agent.Agent) bool { return !slices.Contains(team, a.Name) })
	}
}

// named is the definition with a name.
func (f *family) named(name string) (agent.Agent, bool) {
	i := slices.IndexFunc(f.agents, func(a agent.Agent) bool { return a.Name == name })
	if i < 0 {
		return agent.Agent{}, false
	}
	return f.agents[i], true
}

// open are the children that have not ended.
func (f *family) open() []string {
	var ids []string
	for _, c := range f.children {
		if !c.Status.Ended() {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// listed says which agents there are, for the model.
func (f *family) listed() string {
	if f.list == "" {
		var b strings.Builder
		for _, a := range f.agents {
			fmt.Fprintf(&b, "\n- %s: %s", a.Name, strings.Join(strings.Fields(a.Purpose), " "))
		}
		f.list = b.String()
	}
	return f.list
}

// mode is how much passes unasked: what the conversation says, or what the definition that the
// run works by, or one on the way to it, says where that is stricter.
func (f *family) mode(r agent.Run, of agent.ApprovalMode) agent.ApprovalMode {
	of = agent.Stricter(of, r.State.Mode)
	if f.agent == nil {
		return of
	}
	return agent.Stricter(of, f.agent.Mode)
}

// tools are the names of those that the run has by its definition, or by that of a run on the
// way to it; nil for all.
func (f *family) tools(r agent.Run) []string {
	if f.agent != nil && f.agent.Tools != nil {
		return f.agent.Tools
	}
	return r.State.Tools
}

// knowledge is the choice of collections that the run has by its definition, or by that of a run
// on the way to it; nil for that of the conversation.
func (f *family) knowledge(r agent.Run) agent.CollectionChoice {
	if f.agent != nil && f.agent.Knowledge != nil {
		return f.agent.Knowledge
	}
	return r.State.Knowledge
}
