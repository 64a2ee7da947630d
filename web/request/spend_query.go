package request

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// SpendQuery reads a query of the ledger; who is no admin
// sees his own lines only, an admin where he asks for them.
func SpendQuery(clock agent.Clock, shown *Visibility, c echo.Context) (agent.SpendQuery, error) {
	r, err := ParseSpendRange(c.QueryParams(), clock.Now())
	if err != nil {
		return agent.SpendQuery{}, err
	}
	group := agent.SpendGroup(c.QueryParam("group"))
	if err := OneOf("group", group, agent.SpendGroups...); err != nil {
		return agent.SpendQuery{}, err
	}
	if group == "" {
		group = agent.SpendByDay
	}
	q := r.Query(group)
	q.ByTokens = shown.TokensOnly(Viewer(c)) // nor does the order tell
	if v := Viewer(c); v.Role != agent.RoleAdmin || c.QueryParam("mine") == "true" {
		q.UserID = v.UserID
	}
	return q, nil
}
