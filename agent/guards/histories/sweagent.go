package histories

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/guards"
)

// sweAgentCommands are the commands that SWE-agent adds to a shell; each is a
// tool of its own.
var sweAgentCommands = []string{
	"open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "search_dir", "search_file", "find_file", "str_replace_editor", "submit",
}

// sweAgentShell is the tool of every other action.
const sweAgentShell = "run_shell"

// sweAgentStep is a step of a trajectory.
type sweAgentStep struct {
	Thought     string `json:"thought"`
	Action      string `json:"action"`
	Observation string `json:"observation"`
}

func looksLikeSWEAgent(first []byte) bool { return fields(first)["trajectory"] != nil }

// readSWEAgent reads a trajectory of SWE-agent. Verdicts name the step.
func readSWEAgent(data []byte) ([]History, error) {
	first, err := firstValue(data)
	if err != nil {
		return nil, err
	}
	steps, ok := elements(fields(first)["trajectory"])
	if !ok {
		return nil, agent.Errorf(agent.Invalid, `has no list "trajectory"`)
	}
	if len(steps) > maxItems {
		return nil, agent.Errorf(agent.Invalid, "step %d: a trajectory has at most %d steps", maxItems+1, maxItems)
	}
	var lines []guards.Line
	for i, raw := range steps {
		var s sweAgentStep
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, agent.Errorf(agent.Invalid, "step %d: is not a step of a trajectory: %v", i+1, err)
		}
		lines = append(lines, s.lines(i+1)...)
	}
	return []History{{lines}}, nil
}

func (s sweAgentStep) lines(at int) []guards.Line {
	lines := []guards.Line{{Turn: true, At: at}}
	if strings.TrimSpace(s.Thought) != "" {
		lines = append(lines, guards.Line{Message: &s.Thought, At: at})
	}
	action := strings.TrimSpace(s.Action)
	if action == "" {
		return lines
	}
	tool := strings.Fields(action)[0]
	if !slices.Contains(sweAgentCommands, tool) {
		tool = sweAgentShell
	}
	args, _ := json.Marshal(map[string]string{"command": action}) // cannot fail for strings
	return append(lines, guards.Line{Tool: &tool, Args: args, Result: quoted(s.Observation), At: at})
}
