package web

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// spendList is GET /api/v1/spend: the ledger summed by ?group=, between the
// days ?from= and ?to=, as JSON or, with Accept: text/csv, as CSV. Admins see
// everybody's, others their own.
func (s *apiSpend) spendList(c echo.Context) error {
	q, err := spendQuery(s.Clock, s.Visibility, c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Spend(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if s.Visibility.tokensOnly(viewerOf(c)) {
		for i := range rows {
			rows[i].CostMicros = 0
		}
	}
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/csv") || c.QueryParam("format") == "csv" {
		return writeSpendCSV(c, q.Group, rows)
	}
	return c.JSON(http.StatusOK, listing[agent.SpendRow]{Items: rows})
}

// writeSpendCSV sends rows as a file. A key that a spreadsheet would take for
// a formula is kept from being one.
func writeSpendCSV(c echo.Context, group agent.SpendGroup, rows []agent.SpendRow) error {
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	res.Header().Set(echo.HeaderContentDisposition, `attachment; filename="fusebox-spend-`+string(group)+`.csv"`)
	res.WriteHeader(http.StatusOK)
	w := csv.NewWriter(res)
	records := [][]string{{"key", "runs", "inputTokens", "cachedTokens", "outputTokens", "costMicros", "reasoningTokens", "lines", "unpriced", "estimated"}}
	for _, r := range rows {
		record := []string{noFormula(r.Key)}
		for _, n := range []int64{r.Runs, r.InputTokens, r.CachedTokens, r.OutputTokens, r.CostMicros, r.ReasoningTokens, r.Lines, r.Unpriced, r.Estimated} {
			record = append(record, strconv.FormatInt(n, 10))
		}
		records = append(records, record)
	}
	return w.WriteAll(records)
}

func noFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
