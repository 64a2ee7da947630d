package tools

import (
	"slices"

	"fusebox/agent"
)

// maxForeseen bounds what is shown of each earlier call.
const maxForeseen = 16 << 10

// writer is a tool that can say which files a call will leave.
type writer interface {
	Writes(in agent.ToolInput) []agent.SeenFile
}

// foresee says of the calls that run before one what they will do. Each of them is
// shown against the workspace as it is now.
func (r *Registry) foresee(in agent.ToolInput) []agent.EarlierCall {
	before := slices.Clone(in.Before)
	for i := range before {
		b := &before[i]
		found, ok := r.find(b.ToolName)
		if !ok || b.Args == nil {
			continue
		}
		own := agent.ToolInput{RunID: in.RunID, ConversationID: in.ConversationID, CallID: b.ToolCallID, Args: b.Args}
		if shows, ok := found.tool.(evidencer); ok {
			e := shows.Evidence(own)
			b.Command, b.Diff = e.Command, e.Diff
		}
		if writes, ok := found.tool.(writer); ok {
			b.Writes = writes.Writes(own)
		}
		if len(b.Diff) > maxForeseen {
			b.Diff = headAndTail(b.Diff, maxForeseen, "")
		}
		b.Args = nil
	}
	return before
}

// Writes says what the file will contain.
func (writeFile) Writes(in agent.ToolInput) []agent.SeenFile {
	var args writeArgs
	if decode(in, &args) != nil {
		return nil
	}
	name, err := within(args.Path)
	if err != nil {
		return nil
	}
	return []agent.SeenFile{{Path: name, Hash: hashOf(args.Content)}}
}
