package store

import (
	"encoding/base64"
	"strconv"
	"strings"

	"fusebox/agent"
)

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

// page cuts one item too many off a list and returns the cursor of the next page.
func page[T any](items []T, limit int, at func(T) cursor) ([]T, string) {
	if len(items) <= limit {
		return items, ""
	}
	items = items[:limit]
	return items, at(items[limit-1]).String()
}

// Where lists begin: behind everything, for the newest first; before it, for the oldest first.
var (
	newestFirst = cursor{at: 1 << 62, id: "\U0010ffff"}
	oldestFirst = cursor{at: 0, id: ""}
)
