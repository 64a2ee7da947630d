package page

import (
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
)

// ruleFields are the fields of the form that adds a rule, filled in.
func ruleFields(r agent.ToolRule) []page.Hidden {
	fields := []page.Hidden{
		{Name: "tool", Value: r.Tool}, {Name: "identity", Value: strings.Join(r.Identity, ",")},
		{Name: "volatile", Value: strings.Join(r.Volatile, ",")},
		{Name: "warning", Value: strconv.Itoa(r.Warning)}, {Name: "critical", Value: strconv.Itoa(r.Critical)},
	}
	if r.Polling {
		fields = append(fields, page.Hidden{Name: "polling", Value: "true"})
	}
	return fields
}
