package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// toJSON encodes our own types, which always encode; nothing is "".
func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(b), nil
}

// partJSON is toJSON for a value with n entries; without any it returns "".
func partJSON[T any](v T, n int) (string, error) {
	if n == 0 {
		return "", nil
	}
	return toJSON(v)
}

func fromJSON(text string, into any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("decode %T: %w", into, err)
	}
	return nil
}

// beside hands the first columns of a row to the scan function that knows them,
// and scans the columns behind them into more.
type beside struct {
	row  sqlite.Scanner
	more []any
}

func (b beside) Scan(dest ...any) error { return b.row.Scan(append(dest, b.more...)...) }

func rawJSON(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// where is a condition, with what several lists ask for in the same way.
type where struct{ sqlite.Where }

// forever is after every look.
var forever = time.UnixMilli(1 << 60)

// maxSearch bounds what is searched for, in characters.
const maxSearch = 200

// checkSearch bounds what a search makes the database do.
func checkSearch(text string) error {
	if utf8.RuneCountInString(text) > maxSearch {
		return agent.InvalidField("search", "is too long; at most %d characters are allowed", maxSearch)
	}
	return nil
}

// containing is the pattern of texts that contain part; both sides of it are in lower case.
func containing(part string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(part)) + "%"
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

const (
	defaultPage = 50
	maxPage     = 200
)

// limitOf is the number of items on a page.
func limitOf(p agent.Page) int {
	if p.Limit <= 0 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// cursor marks the last item of a page: its sort time, if the list has one, and its id.
type cursor struct {
	at int64
	id string
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.at, 10) + " " + c.id))
}

// cursorOf reads a page's cursor; start is where a list begins without one.
func cursorOf(p agent.Page, start cursor) (cursor, error) {
	if p.Cursor == "" {
		return start, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	at, id, ok := strings.Cut(string(raw), " ")
	n, numErr := strconv.ParseInt(at, 10, 64)
	if err != nil || !ok || id == "" || numErr != nil {
		return cursor{}, badCursor()
	}
	return cursor{at: n, id: id}, nil
}

func badCursor() error {
	return agent.InvalidField("cursor", "is not valid; pass the nextCursor of the previous page, or leave it out")
}

// page cuts one item too many off a list that was read, and returns the cursor of the next page.
func page[T any](items []T, err error, limit int, at func(T) cursor) ([]T, string, error) {
	switch {
	case err != nil:
		return nil, "", err
	case len(items) <= limit:
		return items, "", nil
	}
	items = items[:limit]
	return items, at(items[limit-1]).String(), nil
}

// Where lists begin: behind everything, for the newest first; before it, for the oldest first.
var (
	newestFirst = cursor{at: 1 << 62, id: "\U0010ffff"}
	oldestFirst = cursor{at: 0, id: ""}
)

func jsonList(ids []string) string {
	ids = slices.Sorted(slices.Values(ids))
	text, _ := json.Marshal(append([]string{}, slices.Compact(ids)...)) // strings are always encoded
	return string(text)
}
