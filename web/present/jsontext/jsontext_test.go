package jsontext

import "testing"

func TestArgumentsInOneLine(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, raw, line, short string }{
		{"nothing", `{}`, ``, ``},
		{"one text", `{"city":"Rome"}`, `city="Rome"`, `Rome`},
		{"one number", `{"n":2}`, `n=2`, `n=2`},
		{"several, short texts first", `{"content":"a long text","options":["a"],"path":"a.txt"}`, `path="a.txt" content="a long text" options=["a"]`, `path="a.txt" content="a long text" options=["a"]`},
		{"a text that looks like another argument", `{"a":"x\" path=\"y","b":"z"}`, `b="z" a="x\" path=\"y"`, `b="z" a="x\" path=\"y"`},
		{"no object", `[1]`, `[1]`, `[1]`},
		{"no JSON", `{"a":`, `{"a":`, `{"a":`},
	} {
		if got := Line(row.raw); got != row.line {
			t.Errorf("%s: line %s, want %s", row.name, got, row.line)
		}
		if got := Short(row.raw); got != row.short {
			t.Errorf("%s: short %s, want %s", row.name, got, row.short)
		}
	}
}
