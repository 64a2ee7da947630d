package page

import (
	"testing"
	"time"

	"github.com/a-h/templ"
)

// TestAgentsGolden compares the parts of the pages about agents with their HTML.
func TestAgentsGolden(t *testing.T) {
	t.Parallel()
	row := AgentRow{
		DefinitionRow: DefinitionRow{Name: "scout", Purpose: "Looks <around>.", Version: 3, Source: "Admin", By: "ana@example.com", At: noon},
		Model:         "far/big", Mode: "Ask before any change", Limits: "6 model calls · 10m", Tools: []string{"read_file", "grep"},
	}
	configured := AgentRow{DefinitionRow: DefinitionRow{Name: "mute", Purpose: "Says nothing.", Version: 1, Source: "Configuration", Configured: true, At: noon}}
	older := row.DefinitionRow
	older.Version, older.Purpose, older.At = 2, "Looks.", noon.Add(-time.Hour)
	form := AgentForm{
		Fixed: true, Name: "scout", Version: "3", Purpose: "Looks <around>.", Instructions: "Look.\nTell.", Steps: "6", Duration: "10m",
		Models: []Choice{{Label: "The chat’s model", Selected: true}, {Value: "far/big", Label: "far/big"}}, Modes: []Choice{{Label: "As the chat has it", Selected: true}},
		Sets:   []AgentToolSet{{Label: "Files", Tools: []AgentTool{{"read_file", true}, {"grep", false}}}, {Label: "Not available now", Tools: []AgentTool{{"far__away", true}}}},
		Errors: map[string]string{"limits.steps": "Not <this>."},
	}
	answering := Answering{
		None: Choice{Label: "No agent"}, Agents: []Choice{{Value: "scout", Label: "scout · Looks <around>."}},
		Workflows: []WorkflowChoice{{Choice: Choice{Value: "workflow:tour", Label: "tour · Looks.", Selected: true}, Inputs: []WorkflowInput{
			{Field: Field{ID: "input-tour-topic", Name: "input.topic", Label: "Topic <x>", Value: "tea", Required: true}},
			{Field: Field{Name: "input.long", Label: "Long"}, Box: true, Ticked: true},
		}}},
	}
	golden(t, map[string]templ.Component{
		"agent":            AgentItem("c", row),
		"agent-configured": AgentItem("c", configured),
		"agent-form":       agentForm("c", form, false),
		"agent-new":        agentForm("c", AgentForm{AllTools: true}, false),
		"agent-versions":   versions(definitionHref(agentsPath, "scout"), 0, []DefinitionRow{row.DefinitionRow, older}),
		"agent-inputs":     workflowInputs(answering),
		"agent-field":      agentField(answering),
	})
}

// TestWorkflowsGolden does so for the pages about workflows.
func TestWorkflowsGolden(t *testing.T) {
	t.Parallel()
	row := WorkflowRow{
		DefinitionRow: DefinitionRow{Name: "article", Purpose: "Writes <it>.", Version: 3, Source: "Admin", By: "ana@example.com", At: noon},
		Kind:          "Sequence", Steps: []WorkflowRowStep{{"find", "scout", ""}, {"ask", "A person · approves", "after find"}},
	}
	agents := []Choice{{Value: "scout", Label: "scout", Selected: true}}
	form := WorkflowForm{
		Fixed: true, Name: "article", Version: "3", Purpose: "Writes <it>.", Kinds: []Choice{{Value: "loop", Label: "Loop", Selected: true}},
		Joins: []Choice{{Label: "All", Selected: true}}, Judges: []Choice{{Label: "None", Selected: true}}, Rounds: "3",
		Inputs: []WorkflowFormInput{{Name: "topic", Label: "Topic <x>", Types: []Choice{{Value: "string", Label: "string"}}, Required: true}},
		Steps: []WorkflowFormStep{
			{Name: "find", Task: "Find <it>.", Agents: agents, People: []Choice{{Value: "person:approve", Label: "approves"}}, Fallbacks: []Choice{{Label: "None", Selected: true}}},
			{None: true, Outputs: "done: boolean", Fallbacks: []Choice{{Label: "None"}, agents[0]}},
		},
		Errors: map[string]string{"steps[1].agent": "Not <this>.", "inputs[0].name": "Nor <this>."},
	}
	golden(t, map[string]templ.Component{
		"workflow":      WorkflowItem("c", row),
		"workflow-form": workflowForm("c", form, false),
		"workflow-new":  workflowForm("c", WorkflowForm{Steps: []WorkflowFormStep{{None: true}}}, false),
	})
}
