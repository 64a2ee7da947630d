package store

import (
	"strconv"
	"strings"
	"time"
)

// where is a condition that is put together from what was asked for, so that
// each question finds its index. Placeholders are numbered in order of use.
type where struct {
	text strings.Builder
	args []any
}

// and adds a condition; the value goes between before and after.
func (w *where) and(before string, value any, after string) {
	w.also(w.param(before, value) + after)
}

// also adds a condition without a value.
func (w *where) also(condition string) {
	if w.text.Len() > 0 {
		w.text.WriteString(" AND ")
	}
	w.text.WriteString(condition)
}

// param takes a value in and returns its placeholder behind some text.
func (w *where) param(before string, value any) string {
	w.args = append(w.args, value)
	return before + "$" + strconv.Itoa(len(w.args))
}

// String is the whole clause, "" without a condition.
func (w *where) String() string {
	if w.text.Len() == 0 {
		return ""
	}
	return "WHERE " + w.text.String()
}

// forever is after every look.
var forever = time.UnixMilli(1 << 60)

// among adds that a column has one of some values.
func (w *where) among(column string, values []string) {
	marks := make([]string, len(values))
	for i, value := range values {
		marks[i] = w.param(``, value)
	}
	w.also(column + ` IN (` + strings.Join(marks, `, `) + `)`)
}

// maxSearch bounds what is searched for, in characters.
const maxSearch = 200

// containing is the pattern of texts that contain part; both sides of it are in lower case.
func containing(part string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(part)) + "%"
}
