package request

import (
	"encoding/csv"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// WriteDocumentUseCSV sends what the documents of people take as a file.
func WriteDocumentUseCSV(c echo.Context, people []agent.DocumentUse) error {
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	res.Header().Set("Cache-Control", "no-store")
	res.Header().Set(echo.HeaderContentDisposition, `attachment; filename="fusebox-documents.csv"`)
	records := [][]string{{"email", "documents", "versions", "bytes", "passages", "failed", "waiting", "tokens", "costMicros", "lastAddedAt"}}
	for _, u := range people {
		record := []string{NoFormula(u.Email)}
		for _, n := range []int64{int64(u.Documents), int64(u.Versions), u.Bytes, u.Passages, int64(u.Failed), int64(u.Waiting), u.Embedded.InputTokens, u.Embedded.CostMicros} {
			record = append(record, strconv.FormatInt(n, 10))
		}
		last := ""
		if at := RFC3339(u.LastAdded); at != nil {
			last = *at
		}
		records = append(records, append(record, last))
	}
	res.WriteHeader(http.StatusOK)
	return csv.NewWriter(res).WriteAll(records)
}
