package printable

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ text, want string }{
		"colours":                  {"\x1b[1;31mred\x1b[0m", "red"},
		"a cursor that goes back":  {"safe\x1b[2K\x1b[1Grm", "saferm"},
		"private modes":            {"\x1b[?1049h\x1b[>4;2mx\x1b[!p", "x"},
		"a link":                   {"\x1b]8;;https://leak.invalid/?a=1\x1b\\here\x1b]8;;\x1b\\", "here"},
		"a title":                  {"\x1b]0;owned\x07x", "x"},
		"the clipboard":            {"a\x1b]52;c;cm0gLXJm\x07b", "ab"},
		"a device control string":  {"\x1bP1$r0m\x1b\\x", "x"},
		"a private message":        {"\x1b^hidden\x1b\\\x1b_too\x1b\\\x1bXand\x1b\\x", "x"},
		"single characters":        {"\u009b31mred \u009d0;title\u009cx", "red x"},
		"a character set":          {"\x1b(0lqk\x1b(B", "lqk"},
		"a reset":                  {"\x1bcx\x1b7y\x1b8", "xy"},
		"a string without an end":  {"\x1b]0;all of this\nand that", "0;all of this\nand that"},
		"a string of a whole page": {"\x1b]" + strings.Repeat("x", 10<<10) + "\x07", strings.Repeat("x", 10<<10)},
		"an escape at the end":     {"x\x1b", "x"},
		"a cut sequence":           {"x\x1b[31", "x31"},
		"bells and backspaces":     {"pass\b\b\b\bword\x00\a\v\f\x7f", "password"},
		"progress on one line":     {"10 %\r50 %\r\n", "10 %\n50 %\n"},
		"lines of other systems":   {"a\r\nb\u0085c\td", "a\nb\nc\td"},
		"overrides":                {"\u202etxt.exe\u202c \u2066a\u2069\u2067\u2068\u202a\u202b\u202d", "txt.exe a"},
		"marks of direction":       {"a\u200eb\u200fc\u061cd", "abcd"},
		"tags":                     {"hi\U000E0001\U000E0069\U000E0067\U000E007F", "hi"},
		"a flag that hides tags":   {"\U0001F3F4\U000E0069\U000E0067\U000E007F!", "\U0001F3F4!"},
		"a flag":                   {"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!"},
		"bytes in selectors":       {"a\ufe00\U000E0101\ufe02\U000E0148", "a\ufe00"},
		"a selector before all":    {"\U000E0101a", "a"},
		"spaces of no width":       {"\ufeffa\u200bb\u2060c\u00add\u2063\u3164", "abcd"},
		"interlinear annotations":  {"a\ufff9b\ufffac\ufffb", "abc"},
		"emoji":                    {"👩‍💻 ❤️ 👍🏽 🇩🇪", "👩‍💻 ❤️ 👍🏽 🇩🇪"},
		"Persian":                  {"می\u200cخواهم", "می\u200cخواهم"},
		"a variant of a character": {"葛\U000E0100城", "葛\U000E0100城"},
		"the sign of a year":       {"\u0601١٤٤٥", "\u0601١٤٤٥"},
		"combining marks":          {"e\u0301 ไทย हिन्दी 한글", "e\u0301 ไทย हिन्दी 한글"},
		"escapes of JSON":          {`{"a":"\u001b[31m\n"}`, `{"a":"\u001b[31m\n"}`},
		"nothing":                  {"", ""},
	} {
		if got := Text(row.text); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
		if got := Text(Text(row.text)); got != row.want {
			t.Errorf("%s, twice: %q", name, got)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\u009b0m \x1b]8;;x\x1b\\y\U0001F3F4\U000E0067")
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if len(got) > len(text) || strings.ContainsAny(got, "\x00\a\b\r\x1b\x7f\u0085\u009b\u009d\u202e\u2066\U000E0041") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
