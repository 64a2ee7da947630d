package text_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/text/language"

	"fusebox/views/text"
)

func TestT(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, row := range []struct{ name, got, want string }{
		{"an argument", text.T(ctx, "layout.title", "100 % <b>"), "100 % <b> · Fusebox"},
		{"one", text.T(ctx, "approval.page.earlier", 1), "The trace has 1 earlier entry."},
		{"several", text.T(ctx, "approval.page.earlier", 2), "The trace has 2 earlier entries."},
		{"no separators", text.T(ctx, "approval.page.earlier", 12345), "The trace has 12345 earlier entries."},
		{"a percent sign", text.T(ctx, "budget.percent", 80), "80%"},
		{"an unknown key shows", text.T(ctx, "nowhere.at.all"), "nowhere.at.all"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.name, row.got, row.want)
		}
	}
}

func TestRich(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		rich templ.Component
		want string
	}{
		{
			"text is escaped, components are not", text.Rich("spend.table.csv", text.Mono("<b>")),
			`<span class="mono">&lt;b&gt;</span> as CSV`,
		},
		{
			"arguments are escaped too", text.Rich("page.spend.span", `"&"`, "<i>"), `&#34;&amp;&#34; to &lt;i&gt;`,
		},
		{
			"a link", text.Rich("inbox.empty.try", text.Link("/", "here & now")),
			`To see one, send “test approval” in <a href="/">here &amp; now</a>.`,
		},
		{"marks of its own are only text", text.Rich("layout.title", "\x000\x00%s"), "\x000\x00%s · Fusebox"},
		{
			"plural", text.Rich("budget.unpriced.all", 1, text.Code("m"), text.Strong("!")),
			"<code>m</code> has no price, so hard spending budgets block calls to it. <strong>!</strong>",
		},
	} {
		var got strings.Builder
		if err := row.rich.Render(t.Context(), &got); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if got.String() != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.name, got.String(), row.want)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	if got := text.Languages()[0]; got != language.English {
		t.Errorf("first language is %s", got)
	}
	for _, row := range []struct{ setting, accept, want string }{
		{"", "", "en"}, {"", "tlh, x;q=nonsense", "en"}, {"en", "fr", "en"}, {"", "en-GB,en;q=0.8", "en"},
		{"", "zh-CN,zh;q=0.9,en;q=0.8", "zh"}, {"", "zh-Hant-TW", "zh"}, {"zh", "en", "zh"}, {"en", "zh", "en"}, {"", "en,zh;q=0.5", "en"}, {"", "fr,zh;q=0.5", "zh"},
	} {
		if got := text.Match(row.setting, row.accept); got.String() != row.want {
			t.Errorf("Match(%q, %q) = %s, want %s", row.setting, row.accept, got, row.want)
		}
	}
	for tag, want := range map[string]string{"zh": "zh", "zh-CN": "zh", "zh-Hans-SG": "zh", "en-GB": "en", "fr": "", "tlh": "", "": "", "%%": ""} {
		if got, ok := text.Known(tag); ok != (want != "") || ok && got.String() != want {
			t.Errorf("Known(%q) = %s, %t, want %q", tag, got, ok, want)
		}
	}
	if got := text.In(text.With(t.Context(), language.BritishEnglish)).Language(); got != "en" {
		t.Errorf("language of the context is %s", got)
	}
	if got := text.In(t.Context()).Language(); got != "en" {
		t.Errorf("language of an empty context is %s", got)
	}
}
