package sums

import "testing"

// TestSumsAreReadAnywhere: in digits and in words, in both languages.
func TestSumsAreReadAnywhere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"请问 1+1":                         "1+1",
		"请问一加一":                          "1+1",
		"计算 3 和 5 等于多少":                  "3+5",
		"10 除 4":                         "10 / 4",
		"what's 12 percent of 80":        "12/100*80",
		"80 的百分之 12 是多少":                 "80*12/100",
		"八十的百分之十二是多少":                    "80*12/100",
		"三百二十五减两万零六等于几":                  "325-20006",
		"一点五乘以四":                         "1.5*4",
		"Twenty-five times four, please": "25*4",
		"two hundred and":                "",
		"add 3 to 4":                     "3+4",
		"subtract 3 from 10":             "10-3",
		"what is the square root of 16":  "sqrt(16)",
		"1,000 + 2,500":                  "1000 + 2500",
		"3 x 4":                          "3*4",
		"算一下":                            "",
		"给我一个例子，一共三个":                    "",
		"the plan for 2026-11-20":        "",
		"version 1.2.3":                  "",
	} {
		if got := Expression(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
