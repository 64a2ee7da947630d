package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fusebox/agent"
)

// statusWords are what models write in place of the statuses of a plan's steps.
var statusWords = map[string]agent.PlanStatus{
	"pending": agent.PlanNotStarted, "todo": agent.PlanNotStarted, "to_do": agent.PlanNotStarted, "open": agent.PlanNotStarted,
	"planned": agent.PlanNotStarted, "queued": agent.PlanNotStarted,
	"doing": agent.PlanInProgress, "inprogress": agent.PlanInProgress, "active": agent.PlanInProgress, "started": agent.PlanInProgress,
	"working": agent.PlanInProgress, "ongoing": agent.PlanInProgress, "running": agent.PlanInProgress,
	"complete": agent.PlanCompleted, "done": agent.PlanCompleted, "finished": agent.PlanCompleted,
	"stuck": agent.PlanBlocked, "on_hold": agent.PlanBlocked,
}

// readStatus reads another word for the status of a plan's step. Only the statuses of plans
// have such words: elsewhere the words may mean different things.
func readStatus(bad *jsonschema.ValidationError, top any, allowed []any) [][]reading {
	if len(allowed) != len(agent.PlanStatuses) || slices.ContainsFunc(agent.PlanStatuses, func(s agent.PlanStatus) bool { return !slices.Contains(allowed, any(string(s))) }) {
		return nil
	}
	value, _ := get(top, bad.InstanceLocation)
	text, _ := value.(string)
	word := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(text)))
	status, known := statusWords[word]
	if !known && slices.Contains(agent.PlanStatuses, agent.PlanStatus(word)) {
		status, known = agent.PlanStatus(word), true
	}
	if !known {
		return nil
	}
	return [][]reading{{{bad.InstanceLocation, string(status)}}}
}
