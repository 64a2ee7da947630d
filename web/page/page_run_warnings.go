package page

import (
	"fmt"
	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/web/present"
	"time"
)

// budgetWarnings are what a run's page says of budgets that got scarce in it.
func (r *runRecord) budgetWarnings(zone *time.Location) []part.Line {
	var lines []part.Line
	for _, e := range r.events {
		if d, ok := e.Data.(agent.BudgetEvent); ok && d.Level != "" {
			lines = append(lines, present.BudgetLine(fmt.Sprintf("e-%d", e.Seq), d, zone))
		}
	}
	return lines
}
