package tools

import (
	"maps"
	"slices"

	"fusebox/agent"
)

// maxForeseen bounds what is shown of each earlier call.
const maxForeseen = 16 << 10

// writer is a tool that can say which files a call will leave.
type writer interface {
	// Leaves maps each path to what the file will contain.
	Leaves(in agent.ToolInput) map[string]string
}

// foresee says of the calls that run before one what they will do. An edit is shown
// against what the calls before it leave, all others against the workspace as it is now.
func (r *Registry) foresee(in agent.ToolInput) []agent.EarlierCall {
	before := slices.Clone(in.Before)
	for i := range before {
		b := &before[i]
		found, ok := r.find(b.ToolName)
		if !ok || b.Args == nil {
			continue
		}
		own := agent.ToolInput{RunID: in.RunID, ConversationID: in.ConversationID, CallID: b.ToolCallID, Args: b.Args, Before: before[:i]}
		if shows, ok := found.tool.(evidencer); ok {
			e := shows.Evidence(own)
			b.Command, b.Diff = e.Command, e.Diff
		}
		if writes, ok := found.tool.(writer); ok {
			b.Leaves = writes.Leaves(own)
			b.Writes = seenTexts(b.Leaves)
		}
		if len(b.Diff) > maxForeseen {
			b.Diff = headAndTail(b.Diff, maxForeseen, "")
		}
		b.Args = nil
	}
	return before
}

// seenTexts are files as texts that nobody has written yet.
func seenTexts(texts map[string]string) []agent.SeenFile {
	var files []agent.SeenFile
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, agent.SeenFile{Path: name, Hash: hashOf(texts[name])})
	}
	return files
}

// Leaves says what the file will contain.
func (t writeFile) Leaves(in agent.ToolInput) map[string]string {
	var args writeArgs
	if decode(in, &args) != nil {
		return nil
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	was, ok := leftBy(in.Before, name)
	if !ok {
		was, _, _ = t.spaces.read(root, name) // what cannot be read is not kept
	}
	raw, err := args.over(was)
	if err != nil {
		return nil
	}
	return map[string]string{name: raw}
}
