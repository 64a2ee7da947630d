package agent

import (
	"cmp"
	"slices"
	"strings"
)

// The sets of the built-in tools. The tools of each source from outside are a set, with the
// name of the source.
const (
	CoreTools  = "core" // of every conversation
	FileTools  = "files"
	ShellTools = "shell"
	WebTools   = "web"
	// MemoryTools are the tools of the person's memory, offered while it is switched on.
	MemoryTools = "memory"
)

// FindToolsTool is the tool with which the model gets further tools into view.
const FindToolsTool = "find_tools"

// maxToolSets and maxToolSetName bound what a conversation chooses.
const (
	maxToolSets    = 200
	maxToolSetName = 200
)

// SetName is the set that the tool belongs to.
func (s ToolSpec) SetName() string { return cmp.Or(s.Set, s.Source) }

// Chooses reports whether the conversation's runs have a set of tools.
func (c Conversation) Chooses(set string) bool {
	return len(c.ToolSets) == 0 || set == CoreTools || slices.Contains(c.ToolSets, set)
}

// ToolSets are the sets of tools that a person of this role may use, in the tools' order.
func ToolSets(specs []ToolSpec, role Role) []string {
	var sets []string
	for _, s := range specs {
		if name := s.SetName(); s.MayBeUsedBy(role) && !slices.Contains(sets, name) {
			sets = append(sets, name)
		}
	}
	return sets
}

// CheckToolSets checks what a conversation chooses of sets that there are. What it had
// before it may keep: a source may be away for a while.
func CheckToolSets(chosen, there, before []string) error {
	if len(chosen) > maxToolSets {
		return InvalidField("toolSets", "has %d names; at most %d are allowed", len(chosen), maxToolSets)
	}
	for i, name := range chosen {
		switch {
		case slices.Contains(chosen[:i], name):
			return InvalidField("toolSets", "has %q twice", Clip(name, maxToolSetName))
		case !slices.Contains(there, name) && !slices.Contains(before, name):
			return InvalidField("toolSets", "has no set %q; there are: %s", Clip(name, maxToolSetName), strings.Join(there, ", "))
		}
	}
	return nil
}
