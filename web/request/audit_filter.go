package request

import (
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
)

// auditFields are the fields of the filter, as the page, the file and the API
// take them.
var auditFields = []string{"actor", "action", "target", "from", "to", "text"}

// maxAuditText bounds each of them, in characters.
const maxAuditText = 200

// AuditFilter reads the filter: actor and target as they stand, action as it
// begins, text as a part of the rest, from and to as days in UTC, both included.
func AuditFilter(q url.Values) (agent.AuditFilter, error) {
	for _, field := range auditFields {
		if utf8.RuneCountInString(q.Get(field)) > maxAuditText {
			return agent.AuditFilter{}, agent.InvalidField(field, "is too long; at most %d characters are allowed", maxAuditText)
		}
	}
	get := func(field string) string { return strings.TrimSpace(q.Get(field)) }
	f := agent.AuditFilter{Actor: get("actor"), Action: get("action"), Target: get("target"), Search: get("text")}
	var err error
	if f.From, err = ParseDay(q, "from", time.UTC, time.Time{}); err != nil {
		return f, err
	}
	if f.To, err = ParseDay(q, "to", time.UTC, time.Time{}); err != nil {
		return f, err
	}
	if !f.To.IsZero() {
		if f.To.Before(f.From) {
			return f, agent.InvalidField("from", "must not be after the last day, %s", f.To.Format(DayFormat))
		}
		f.To = f.To.AddDate(0, 0, 1)
	}
	return f, nil
}

// AuditQuery is what is set of the filter as a query, for links to the same rows.
func AuditQuery(q url.Values) url.Values {
	out := url.Values{}
	for _, field := range auditFields {
		if v := q.Get(field); v != "" {
			out.Set(field, v)
		}
	}
	return out
}
