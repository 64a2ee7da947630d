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
		Name: "scout", Purpose: "Looks <around>.", Model: "far/big", Mode: "Ask before any change", Limits: "6 model calls · 10m",
		Tools: []string{"read_file", "grep"}, Version: 3, Source: "Admin", By: "ana@example.com", At: noon,
	}
	configured := AgentRow{Name: "mute", Purpose: "Says nothing.", Version: 1, Source: "Configuration", Configured: true, At: noon}
	older := row
	older.Version, older.Purpose, older.At = 2, "Looks.", noon.Add(-time.Hour)
	form := AgentForm{
		Fixed: true, Name: "scout", Version: "3", Purpose: "Looks <around>.", Instructions: "Look.\nTell.", Steps: "6", Duration: "10m",
		Models: []Choice{{Label: "The chat’s model", Selected: true}, {Value: "far/big", Label: "far/big"}}, Modes: []Choice{{Label: "As the chat has it", Selected: true}},
		Sets:   []AgentToolSet{{Label: "Files", Tools: []AgentTool{{"read_file", true}, {"grep", false}}}, {Label: "Not available now", Tools: []AgentTool{{"far__away", true}}}},
		Errors: map[string]string{"limits.steps": "Not <this>."},
	}
	golden(t, map[string]templ.Component{
		"agent":            AgentItem("c", row),
		"agent-configured": AgentItem("c", configured),
		"agent-form":       agentForm("c", form, false),
		"agent-new":        agentForm("c", AgentForm{AllTools: true}, false),
		"agent-versions":   agentVersions(AgentProps{Form: form, Versions: []AgentRow{row, older}}),
		"agent-field":      agentField([]Choice{{Label: "No agent"}, {Value: "scout", Label: "scout · Looks <around>.", Selected: true}}),
	})
}
