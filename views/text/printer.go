package text

import (
	"context"
	"slices"

	"golang.org/x/text/language"
	"golang.org/x/text/number"
)

// Printer writes messages in one language. It is safe for concurrent use.
type Printer struct {
	tag   language.Tag
	texts func() *texts
}

type contextKey struct{}

// T is the message of a key in the language of the context.
func T(ctx context.Context, key string, args ...any) string { return In(ctx).T(key, args...) }

// With returns a context whose pages are in the language, or the nearest that there is.
func With(ctx context.Context, tag language.Tag) context.Context {
	return printerOf(tag).Context(ctx)
}

// For is the printer of a language's tag, the nearest that there is; "" is English.
func For(tag string) *Printer {
	known, _ := Known(tag)
	return printerOf(known)
}

// In is the printer of the context's language, which is English if none was set.
func In(ctx context.Context) *Printer {
	if p, ok := ctx.Value(contextKey{}).(*Printer); ok {
		return p
	}
	return loaded().printers[0]
}

// Context returns a context whose pages are in the printer's language, for what
// is rendered after its request.
func (p *Printer) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// T is the message of a key with its arguments. Texts and amounts come as
// strings; a count comes as an integer, which also chooses the plural form.
func (p *Printer) T(key string, args ...any) string {
	return closeUp(p.texts().message.Sprintf(key, ungrouped(args)...))
}

// Language is the tag of the printer's language, as the lang attribute takes it.
func (p *Printer) Language() string { return p.tag.String() }

// ungrouped has counts written without separators, as they are on all pages.
func ungrouped(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch n := arg.(type) {
		case int, int64:
			out[i] = number.Decimal(n, number.NoSeparator())
		default:
			out[i] = arg
		}
	}
	return out
}

// Languages are those that pages can be shown in, English first.
func Languages() []language.Tag { return slices.Clone(loaded().tags) }

// Match is the language to show: what a person has set, else the best of their
// Accept-Language header, else English.
func Match(setting, accept string) language.Tag {
	lib := loaded()
	_, i := language.MatchStrings(lib.matcher, setting, accept)
	return lib.tags[i]
}

// Known is the language of a tag, such as zh for zh-CN; ok is false where pages cannot be
// shown in it.
func Known(tag string) (known language.Tag, ok bool) {
	parsed, err := language.Parse(tag)
	if err != nil {
		return language.Und, false
	}
	lib := loaded()
	_, i, _ := lib.matcher.Match(parsed)
	asked, _ := parsed.Base()
	shown, _ := lib.tags[i].Base()
	return lib.tags[i], asked == shown
}

func printerOf(tag language.Tag) *Printer {
	lib := loaded()
	_, i, _ := lib.matcher.Match(tag)
	return lib.printers[i]
}
