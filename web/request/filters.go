package request

import (
	"maps"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
)

// AllStatuses is the choice of the form that filters nothing.
const AllStatuses agent.ApprovalStatus = "all"

// ages are the choices of how long something has waited, by their name.
var ages = map[string]time.Duration{"1h": time.Hour, "1d": 24 * time.Hour}

// InboxFilter reads the filter of the page. No status is what waits, "all" is
// everything; an empty field filters nothing, as a form sends them all.
func InboxFilter(q url.Values, now time.Time) (agent.ApprovalFilter, error) {
	q = maps.Clone(q)
	switch q.Get("status") {
	case "":
		q.Set("status", string(agent.ApprovalPending))
	case string(AllStatuses):
		q.Del("status")
	}
	return ApprovalFilter(q, now)
}

// ApprovalFilter reads ?status=, ?kind=, ?risk=, ?runId=, ?tool=, ?search=, ?age= and ?unread=.
func ApprovalFilter(q url.Values, now time.Time) (agent.ApprovalFilter, error) {
	f := agent.ApprovalFilter{
		Status: agent.ApprovalStatus(q.Get("status")), Kind: agent.ApprovalKind(q.Get("kind")), Risk: agent.Risk(q.Get("risk")),
		RunID: q.Get("runId"), Tool: q.Get("tool"), Search: strings.TrimSpace(q.Get("search")), Unread: q.Get("unread") == "true",
	}
	if err := OneOf("status", f.Status, agent.ApprovalPending, agent.ApprovalDecided, agent.ApprovalExpired, agent.ApprovalCancelled); err != nil {
		return f, err
	}
	if err := OneOf("kind", f.Kind, agent.KindTool, agent.KindLoop, agent.KindBudget, agent.KindQuestion, agent.KindOutcome); err != nil {
		return f, err
	}
	if err := OneOf("risk", f.Risk, agent.RiskLow, agent.RiskMedium, agent.RiskHigh, agent.RiskCritical); err != nil {
		return f, err
	}
	if err := OneOf("age", q.Get("age"), "1h", "1d"); err != nil {
		return f, err
	}
	if age := ages[q.Get("age")]; age > 0 {
		f.OlderThan = now.Add(-age)
	}
	return f, OneOf("unread", q.Get("unread"), "true", "false")
}

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

// DeliveryFilter reads ?state= and ?channel=; empty is all.
func DeliveryFilter(q url.Values) (agent.DeliveryFilter, error) {
	f := agent.DeliveryFilter{State: agent.DeliveryState(q.Get("state")), Channel: agent.Channel(q.Get("channel"))}
	if err := OneOf("state", f.State, agent.DeliveryPending, agent.DeliverySent, agent.DeliveryDead); err != nil {
		return f, err
	}
	return f, OneOf("channel", f.Channel, agent.ChannelWebhook, agent.ChannelEmail)
}

// CheckChannel refuses a channel that there is none of.
func CheckChannel(channel agent.Channel) error {
	if channel != agent.ChannelWebhook && channel != agent.ChannelEmail {
		return agent.InvalidField("channel", "%q is not allowed; allowed: %s, %s", agent.Clip(string(channel), 40), agent.ChannelWebhook, agent.ChannelEmail)
	}
	return nil
}

// BacktestDays reads the first and the last day, in UTC; what is missing makes
// a span of 30 days, which ends today.
func BacktestDays(first, last string, now time.Time) (from, to time.Time, err error) {
	days := url.Values{"from": {first}, "to": {last}}
	if to, err = ParseDay(days, "to", time.UTC, LastDays(service.StatDays, now, time.UTC).To); err != nil {
		return from, to, err
	}
	if from, err = ParseDay(days, "from", time.UTC, to.AddDate(0, 0, 1-service.StatDays)); err != nil {
		return from, to, err
	}
	switch {
	case from.After(to):
		err = agent.InvalidField("from", "must not be after the last day, %s", to.Format(DayFormat))
	case from.AddDate(0, 0, MaxSpendDays).Before(to):
		err = agent.InvalidField("from", "at most ten years at once")
	}
	return from, to.AddDate(0, 0, 1), err
}

// NamedPrompt checks that a request says which prompt of which server it wants. Its error
// has the field's name.
func NamedPrompt(server, name string) error {
	switch {
	case server == "":
		return agent.InvalidField("server", "is missing; name the MCP server that offers the prompt")
	case name == "":
		return agent.InvalidField("name", "is missing; name a prompt of the server")
	}
	return nil
}

// Chosen reads the collections that the address names, each as a collectionId: all that are open
// to the viewer where it names none.
func Chosen(c echo.Context) (agent.CollectionChoice, error) {
	in := agent.CollectionChoice(c.QueryParams()["collectionId"])
	if len(in) == 0 {
		in = agent.Everything()
	}
	return in, in.Check("collectionId")
}
