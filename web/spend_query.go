package web

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// spendQuery reads a query of the ledger; who is no admin
// sees his own lines only, an admin where he asks for them.
func spendQuery(clock agent.Clock, shown *visibility, c echo.Context) (agent.SpendQuery, error) {
	r, err := parseSpendRange(c.QueryParams(), clock.Now())
	if err != nil {
		return agent.SpendQuery{}, err
	}
	group := agent.SpendGroup(c.QueryParam("group"))
	if err := oneOf("group", group, agent.SpendGroups...); err != nil {
		return agent.SpendQuery{}, err
	}
	if group == "" {
		group = agent.SpendByDay
	}
	q := r.query(group)
	q.ByTokens = shown.tokensOnly(viewerOf(c)) // nor does the order tell
	if v := viewerOf(c); v.Role != agent.RoleAdmin || c.QueryParam("mine") == "true" {
		q.UserID = v.UserID
	}
	return q, nil
}
