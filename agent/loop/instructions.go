package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// instructions are what admins say of tools, by their names. They join only the requests
// of turns on which their tool is in play, behind everything else, so that requests begin
// as the ones before.
type instructions struct {
	*rows
	view  *toolView
	texts map[string]string
}

// due are those of the tools in play.
func (in *instructions) due() []string {
	var texts []string
	for _, name := range in.inPlay() {
		texts = append(texts, "[Instructions for the tool "+name+"]\n"+in.texts[name])
	}
	return texts
}

// inPlay are the tools with instructions that the newest answer has called or found, or
// that the person names.
func (in *instructions) inPlay() []string {
	if len(in.texts) == 0 {
		return nil
	}
	task := in.transcript.task()
	newest := in.calls.since(max(in.run.Steps, 1))
	var names []string
	for _, s := range in.view.permitted() {
		if in.texts[s.Name] != "" && (strings.Contains(task, s.Name) || slices.ContainsFunc(newest, func(c agent.ToolCall) bool { return involves(c, s.Name) })) {
			names = append(names, s.Name)
		}
	}
	return names
}

// involves reports whether a call is of a tool, or has found it.
func involves(c agent.ToolCall, tool string) bool {
	return c.Name == tool || c.Name == agent.FindToolsTool && strings.Contains(c.Result, `"name":"`+tool+`"`)
}

// note says in the log, once in a run, which version of instructions the run gets. It is
// written along with the start of the step.
func (in *instructions) note() {
	var e agent.Change
	for _, name := range in.inPlay() {
		if version := versionOf(in.texts[name]); in.run.State.Instructed[name] != version {
			if e.Run == nil {
				e.Run = in.with(agent.StatusRunning)
				e.Run.State.Instructed = cloned(e.Run.State.Instructed)
			}
			e.Run.State.Instructed[name] = version
			e.Events = append(e.Events, events(agent.Notice{Message: fmt.Sprintf("Instructions for the tool %s, version %s", name, version)})...)
		}
	}
	in.stage(e)
}

func cloned(versions map[string]string) map[string]string {
	next := make(map[string]string, len(versions)+1)
	for name, version := range versions {
		next[name] = version
	}
	return next
}

// versionOf is the same for the same text.
func versionOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
