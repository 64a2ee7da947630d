package agent_test

import (
	"testing"

	"fusebox/agent"
)

// TestSplitTask: what a child was told parts into its task and its inputs, whatever the task says.
func TestSplitTask(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ told, task, inputs string }{
		{"Look it up.", "Look it up.", ""},
		{agent.TaskWithInputs("Review this.", "{\n  \"text\": \"a\\n\\nInputs:\\n```json\\n\"\n}"), "Review this.", "{\n  \"text\": \"a\\n\\nInputs:\\n```json\\n\"\n}"},
		{agent.TaskWithInputs("Read:\n\nInputs:\n```json\n{}\n```", "{}"), "Read:\n\nInputs:\n```json\n{}\n```", "{}"},
		{"Cut off.\n\nInputs:\n```json\n{\"a\":", "Cut off.\n\nInputs:\n```json\n{\"a\":", ""},
	} {
		if task, inputs := agent.SplitTask(row.told); task != row.task || inputs != row.inputs {
			t.Errorf("%q parts into %q and %q", row.told, task, inputs)
		}
	}
	if got := agent.NewPathStep("r", "a", agent.TaskWithInputs("Do it.", "{}")).Task; got != "Do it." {
		t.Errorf("the way to a run tells the task %q", got)
	}
}
