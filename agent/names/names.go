package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"fusebox/agent"
)

// maxPerson bounds the name of a person.
const maxPerson = 60

// Plain is a text with common characters in the place of other forms of them, such as wide
// letters or ligatures.
func Plain(text string) string { return norm.NFKC.String(text) }

// Person reads what a person wants to be called, "" for nothing: a plain text that is not
// an address, which could be another's. Its error has the field's name.
func Person(field, text string) (string, error) {
	name := strings.Join(strings.Fields(Plain(text)), " ")
	bad := func(r rune) bool { return r == '@' || !unicode.IsPrint(r) }
	if !utf8.ValidString(text) || utf8.RuneCountInString(name) > maxPerson || strings.ContainsFunc(name, bad) {
		return "", agent.InvalidField(field, "is not a name; allowed: up to %d printable characters without @", maxPerson)
	}
	return name, nil
}

// maxAlike bounds how many accounts are named that look like one.
const maxAlike = 5

// Accounts finds those that look alike.
type Accounts map[string][]agent.User

// Of makes it of all accounts.
func Of(users []agent.User) Accounts {
	all := Accounts{}
	for _, u := range users {
		for _, key := range keys(u) {
			all[key] = append(all[key], u)
		}
	}
	return all
}

// Like are the addresses of other accounts whose address or name looks like that of one.
func (a Accounts) Like(u agent.User) (found []string) {
	seen := map[string]bool{u.ID: true}
	for _, key := range keys(u) {
		for _, other := range a[key] {
			if !seen[other.ID] && len(found) < maxAlike {
				found = append(found, other.Email)
			}
			seen[other.ID] = true
		}
	}
	return found
}

// keys are what an account is known by: its address and its name.
func keys(u agent.User) []string {
	list := []string{"address " + skeleton(u.Email)}
	if u.Name != "" {
		list = append(list, "name "+skeleton(u.Name))
	}
	return list
}

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
