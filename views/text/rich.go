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
		marked, slots := make([]any, len(args)), make([]templ.Component, len(args))
		for i, arg := range args {
			switch a := arg.(type) {
			case int, int64: // counts choose plural forms
				marked[i] = arg
				continue
			case templ.Component:
				slots[i] = a
			case string:
				slots[i] = templ.Raw(templ.EscapeString(a))
			}
			marked[i] = mark + strconv.Itoa(i) + mark
		}
		for i, piece := range strings.Split(T(ctx, key, marked...), mark) {
			if i%2 == 0 {
				if _, err := escapeText.WriteString(w, piece); err != nil {
					return err
				}
				continue
			}
			slot, err := strconv.Atoi(piece) // every second piece names an argument
			if err != nil {
				return err
			}
			if err := slots[slot].Render(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}
