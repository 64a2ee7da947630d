package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// alike are characters that look like the first of their row, beyond case, accents, and
// what is another form of the same character.
var alike = table(
	"aаαɑᴀ", "AАΑᎪꓮ", "bьЬᖯ", "BВΒᏴꓐʙвᏼ", "cсϲᴄ", "CСϹᏟꓚ", "dԁđ", "DᎠꓓĐ", "eеҽєε℮", "EЕΕᎬꓰ", "fƒք", "FϜꓝ", "gɡցɢ", "GԌᏀꓖ",
	"hһհħ", "HНΗᎻꓧнʜ", "jјϳ", "JЈᎫꓙ", "kкκᴋ", "KКΚᏦꓗ", "lΙІӀιіıɩɪꓲǀłʟ|!i1I", "LᏞꓡԼŁ", "mмᴍ", "MМΜᎷꓟ", "nпηոռɴ", "NΝꓠ",
	"oоοσօøɵ০๐໐០჻0", "OОΟՕꓳØ", "pрρ⍴", "PРΡᏢꓑ", "qԛզ", "QԚ", "rгᴦʀ", "RᎡꓣ", "sѕꜱ", "SЅՏᏚꓢ", "tтτᴛŧ", "TТΤᎢꓔ", "uυսцμᴜ", "UՍꓴ",
	"vνѵᴠ", "VѴᏙꓦ", "wωѡԝшաᴡ", "WԜᎳꓪ", "xхχ", "XХΧꓫ", "yуγүʏ", "YУΥҮᎽꓬ", "zᴢ", "ZΖᏃꓜ", "3зЗӠЭэ", "6б", "-‐‑‒–—−", "'’‘ʼ`´",
)

func table(rows ...string) map[rune]rune {
	known := map[rune]rune{}
	for _, row := range rows {
		var first rune
		for i, r := range row {
			if i == 0 {
				first = r
			}
			known[r] = first
		}
	}
	return known
}

// pairs are two letters that look like one.
var pairs = strings.NewReplacer("rn", "m", "vv", "w")

// skeleton is the same for texts that look alike. It is for comparing, not for showing.
func skeleton(text string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) || unicode.IsSpace(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			return -1
		}
		if first, ok := alike[r]; ok {
			r = first
		}
		r = unicode.ToLower(r)
		if first, ok := alike[r]; ok { // of a capital that only its small letter looks like
			r = first
		}
		return r
	}, norm.NFKD.String(text))
	return pairs.Replace(plain)
}
