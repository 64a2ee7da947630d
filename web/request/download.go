package request

import (
	"encoding/csv"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// shownImages are the types of files that browsers show without running anything in them.
var shownImages = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// PathParam is the rest of an address that a * stands for, as it was before it was escaped.
func PathParam(c echo.Context) (string, error) {
	name := c.Param("*")
	if c.Request().URL.RawPath == "" {
		return name, nil
	}
	name, err := url.PathUnescape(name)
	if err != nil {
		return "", agent.Wrap(agent.NotFound, err, "There is no such file in this chat.")
	}
	return name, nil
}

// SendFile answers with a file that a model, a command, or a person has made. Browsers show
// images and plain text, going by what is in the file; everything else they only save.
func SendFile(c echo.Context, f io.ReadSeeker, file agent.WorkspaceFile) error {
	kind, err := kindOf(f)
	if err != nil {
		return err
	}
	way := "inline"
	if kind == echo.MIMEOctetStream {
		way = "attachment"
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, kind)
	h.Set(echo.HeaderContentDisposition, mime.FormatMediaType(way, map[string]string{"filename": path.Base(file.Path)}))
	h.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set(echo.HeaderCacheControl, "private, no-cache")
	http.ServeContent(c.Response(), c.Request(), "", file.ModifiedAt, f)
	return nil
}

// kindOf is what a file may be shown as, application/octet-stream for nothing.
func kindOf(f io.ReadSeeker) (string, error) {
	start := make([]byte, 512)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	found := http.DetectContentType(start[:n])
	switch {
	case slices.Contains(shownImages, found):
		return found, nil
	case strings.HasPrefix(found, echo.MIMETextPlain):
		return echo.MIMETextPlainCharsetUTF8, nil
	default:
		return echo.MIMEOctetStream, nil
	}
}

// WriteDocumentUseCSV sends what the documents of people take as a file.
func WriteDocumentUseCSV(c echo.Context, people []agent.DocumentUse) error {
	records := [][]string{{"email", "documents", "versions", "bytes", "passages", "failed", "waiting", "tokens", "costMicros", "lastAddedAt"}}
	for _, u := range people {
		record := csvRecord(u.Email, int64(u.Documents), int64(u.Versions), u.Bytes, u.Passages, int64(u.Failed), int64(u.Waiting),
			u.Embedded.InputTokens, u.Embedded.CostMicros)
		last := ""
		if at := RFC3339(u.LastAdded); at != nil {
			last = *at
		}
		records = append(records, append(record, last))
	}
	return writeCSV(c, "fusebox-documents.csv", records)
}

// WriteSpendCSV sends the rows of a spend report as a CSV file.
func WriteSpendCSV(c echo.Context, group agent.SpendGroup, rows []agent.SpendRow) error {
	records := [][]string{{"key", "runs", "inputTokens", "cachedTokens", "outputTokens", "costMicros", "reasoningTokens", "lines", "unpriced", "estimated"}}
	for _, r := range rows {
		records = append(records, csvRecord(r.Key, r.Runs, r.InputTokens, r.CachedTokens, r.OutputTokens, r.CostMicros,
			r.ReasoningTokens, r.Lines, r.Unpriced, r.Estimated))
	}
	return writeCSV(c, "fusebox-spend-"+string(group)+".csv", records)
}

// csvRecord is a row of a file: a key that a spreadsheet would take for a formula is kept
// from being one.
func csvRecord(key string, counts ...int64) []string {
	record := []string{NoFormula(key)}
	for _, n := range counts {
		record = append(record, strconv.FormatInt(n, 10))
	}
	return record
}

func writeCSV(c echo.Context, name string, records [][]string) error {
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	res.Header().Set("Cache-Control", "no-store")
	res.Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	res.WriteHeader(http.StatusOK)
	return csv.NewWriter(res).WriteAll(records)
}

// NoFormula keeps a spreadsheet from taking a text for a formula.
func NoFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
