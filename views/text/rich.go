package text

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// mark encloses the number of an argument in a formatted message. Nothing that
// a person wrote is formatted, so it cannot occur by itself.
const mark = "\x00"

// escapeText escapes what a message says between its arguments. Quotes need
// none outside of attributes.
var escapeText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Rich is a message with markup: an argument may be a component, such as a link
// or a <kbd>. Other arguments are those of T. All text is escaped.
func Rich(key string, args ...any) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		said, slots := T(ctx, key, marked(args)...), components(args)
		for i, piece := range strings.Split(said, mark) {
			if err := writePiece(ctx, w, i, piece, slots); err != nil {
				return err
			}
		}
		return nil
	})
}

// writePiece writes every second piece as text; those between name arguments.
func writePiece(ctx context.Context, w io.Writer, i int, piece string, slots []templ.Component) error {
	if i%2 == 0 {
		_, err := escapeText.WriteString(w, piece)
		return err
	}
	slot, err := strconv.Atoi(piece)
	if err != nil {
		return err
	}
	return slots[slot].Render(ctx, w)
}

// marked puts marks in the place of all arguments but counts, which choose plural forms.
func marked(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch arg.(type) {
		case int, int64:
			out[i] = arg
		default:
			out[i] = mark + strconv.Itoa(i) + mark
		}
	}
	return out
}

// components are the arguments that are written by themselves; nil for counts.
func components(args []any) []templ.Component {
	out := make([]templ.Component, len(args))
	for i, arg := range args {
		switch a := arg.(type) {
		case templ.Component:
			out[i] = a
		case string:
			out[i] = plain(a)
		}
	}
	return out
}

func plain(s string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, templ.EscapeString(s))
		return err
	})
}
