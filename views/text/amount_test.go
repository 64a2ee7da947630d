package text_test

import (
	"testing"

	"fusebox/views/text"
)

// Large counts are in the units of the reader's language, and what follows them is spaced
// as that language does.
func TestAmounts(t *testing.T) {
	t.Parallel()
	english, chinese := text.For("en"), text.For("zh")
	for n, want := range map[int64]struct{ en, zh string }{
		0: {"0", "0"}, 999: {"999", "999"}, 1000: {"1k", "1000"}, 9_999: {"10k", "9999"}, 10_000: {"10k", "1 万"},
		41_230: {"41.2k", "4.1 万"}, 999_949: {"999.9k", "100 万"}, 999_950: {"1M", "100 万"}, 1_234_567: {"1.2M", "123.5 万"},
		99_999_499: {"100M", "9999.9 万"}, 99_999_500: {"100M", "1 亿"}, 999_949_999: {"999.9M", "10 亿"}, 999_950_000: {"1B", "10 亿"},
		1_250_000_000: {"1.3B", "12.5 亿"},
	} {
		if got := english.Amount(n); got != want.en {
			t.Errorf("%d in English: %q, want %q", n, got, want.en)
		}
		if got := chinese.Amount(n); got != want.zh {
			t.Errorf("%d in Chinese: %q, want %q", n, got, want.zh)
		}
	}
	for _, row := range []struct{ got, want string }{
		{chinese.T("page.budgets.tokens", chinese.Amount(41_230)), "4.1 万个 Token"},
		{chinese.T("page.budgets.tokens", chinese.Amount(950)), "950 个 Token"},
		{chinese.T("present.usage.in_out", chinese.Amount(120_000_000), chinese.Amount(12)), "输入 1.2 亿个 Token，输出 12 个"},
		{chinese.T("budget.used_of", chinese.Amount(41_230), chinese.Amount(1_000_000)), "4.1 万 / 100 万"},
		{english.T("page.budgets.tokens", english.Amount(41_230)), "41.2k tokens"},
	} {
		if row.got != row.want {
			t.Errorf("%q, want %q", row.got, row.want)
		}
	}
}
