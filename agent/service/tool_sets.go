package service

import "fusebox/agent"

// ToolSet is a set of tools that a conversation may choose.
type ToolSet struct {
	Name   string
	Tools  int // 0 where its source is away
	Chosen bool
}

// ToolSets are the sets that a person may choose for a conversation: those that there are
// beside the core, and those that it has chosen before.
func (s *Conversations) ToolSets(v agent.Viewer, conv agent.Conversation) []ToolSet {
	var sets []ToolSet
	specs := s.Tools.Specs()
	for _, name := range agent.ToolSets(specs, v.Role) {
		if name != agent.CoreTools {
			sets = append(sets, ToolSet{Name: name, Tools: sizeOf(name, specs, v.Role), Chosen: conv.Chooses(name)})
		}
	}
	for _, name := range conv.ToolSets {
		if name != agent.CoreTools && sizeOf(name, specs, v.Role) == 0 {
			sets = append(sets, ToolSet{Name: name, Chosen: true})
		}
	}
	return sets
}

func sizeOf(set string, specs []agent.ToolSpec, role agent.Role) (n int) {
	for _, t := range specs {
		if t.SetName() == set && t.MayBeUsedBy(role) {
			n++
		}
	}
	return n
}
