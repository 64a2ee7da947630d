package sqlite

import (
	"strconv"
	"strings"
)

// Where is a condition that is put together from what was asked for, so that
// each question finds its index. Placeholders are numbered in order of use.
type Where struct {
	text strings.Builder
	// Args are the values of the placeholders.
	Args []any
}

// And adds a condition; the value goes between before and after.
func (w *Where) And(before string, value any, after string) {
	w.Also(w.Param(before, value) + after)
}

// AndIf is And if the condition is asked for.
func (w *Where) AndIf(asked bool, before string, value any) {
	if asked {
		w.And(before, value, ``)
	}
}

// Also adds a condition without a value.
func (w *Where) Also(condition string) {
	if w.text.Len() > 0 {
		w.text.WriteString(" AND ")
	}
	w.text.WriteString(condition)
}

// Among adds that a column has one of some values.
func (w *Where) Among(column string, values []string) {
	marks := make([]string, len(values))
	for i, value := range values {
		marks[i] = w.Param(``, value)
	}
	w.Also(column + ` IN (` + strings.Join(marks, `, `) + `)`)
}

// Param takes a value in and returns its placeholder behind some text.
func (w *Where) Param(before string, value any) string {
	w.Args = append(w.Args, value)
	return before + "$" + strconv.Itoa(len(w.Args))
}

// String is the whole clause, "" without a condition.
func (w *Where) String() string {
	if w.text.Len() == 0 {
		return ""
	}
	return "WHERE " + w.text.String()
}
