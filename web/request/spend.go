package request

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// SpendQuery reads a query of the ledger; someone who is not an admin
// sees only their own lines, an admin where they ask for them.
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

// WriteSpendCSV sends rows as a file. A key that a spreadsheet would take for
// a formula is kept from being one.
func WriteSpendCSV(c echo.Context, group agent.SpendGroup, rows []agent.SpendRow) error {
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	res.Header().Set("Cache-Control", "no-store")
	res.Header().Set(echo.HeaderContentDisposition, `attachment; filename="fusebox-spend-`+string(group)+`.csv"`)
	res.WriteHeader(http.StatusOK)
	w := csv.NewWriter(res)
	records := [][]string{{"key", "runs", "inputTokens", "cachedTokens", "outputTokens", "costMicros", "reasoningTokens", "lines", "unpriced", "estimated"}}
	for _, r := range rows {
		record := []string{NoFormula(r.Key)}
		for _, n := range []int64{r.Runs, r.InputTokens, r.CachedTokens, r.OutputTokens, r.CostMicros, r.ReasoningTokens, r.Lines, r.Unpriced, r.Estimated} {
			record = append(record, strconv.FormatInt(n, 10))
		}
		records = append(records, record)
	}
	return w.WriteAll(records)
}

// NoFormula keeps a spreadsheet from taking a text for a formula.
func NoFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
