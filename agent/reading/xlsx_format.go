package reading

import (
	"strings"
	"unicode/utf8"
)

// builtinFormats are the number formats that files only refer to. What those of dates look
// like depends on the country.
var builtinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00",
	9: "0%", 10: "0.00%", 11: "0.00E+00",
	14: "y-m-d", 15: "d-m-y", 16: "d-m", 17: "m-y", 18: "h:m", 19: "h:m:s", 20: "h:m", 21: "h:m:s", 22: "y-m-d h:m",
	27: "y-m", 28: "m-d", 29: "m-d", 30: "y-m-d", 31: "y-m-d", 32: "h:m", 33: "h:m:s", 34: "h:m", 35: "h:m:s", 36: "y-m",
	37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)",
	41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00", 45: "m:s", 46: "[h]:m:s", 47: "m:s", 48: "##0.0E+0",
	50: "y-m", 51: "m-d", 52: "y-m", 53: "m-d", 54: "m-d", 55: "h:m", 56: "h:m:s", 57: "y-m", 58: "m-d",
}

// numberFormat is how a number is shown: above zero, below, and as zero. Without a section
// it is shown as it is.
type numberFormat struct{ sections []formatSection }

// formatSection is one of the up to three parts of a format.
type formatSection struct {
	lead, tail string // text before and after the digits
	// whole are the places before the point, and text between them.
	whole       []formatPlace
	least, most int // digits behind the point
	grouped     bool
	percents    int
	thousands   int // how many times it is divided by 1,000
	exponent    bool
	plain       bool   // digits as they are
	letters     string // of the units of a date, in their order: y, m, d, h, s
	elapsed     byte   // the unit that goes on counting in a duration: h, m, or s
	behind      bool   // whether the point was read
	commas      int    // since the last digit
}

// formatPlace is a digit that is always there, one that may be, or a text.
type formatPlace struct {
	text     string
	isDigit  bool
	required bool
}

// parseFormat reads a code such as "#,##0.00;[Red]-0".
func parseFormat(code string) numberFormat {
	var f numberFormat
	if code == "" {
		return f
	}
	current := &formatSection{}
	for code != "" && len(f.sections) < 3 {
		if code[0] == ';' {
			f.sections = append(f.sections, current.finish())
			current, code = &formatSection{}, code[1:]
			continue
		}
		code = code[current.take(code):]
	}
	if len(f.sections) < 3 {
		f.sections = append(f.sections, current.finish())
	}
	return f
}

// take reads the next sign of a code, and returns how many bytes it has.
func (s *formatSection) take(code string) int {
	_, first := utf8.DecodeRuneInString(code)
	switch code[0] {
	case '"':
		if end := strings.IndexByte(code[1:], '"'); end >= 0 {
			s.literal(code[1 : 1+end])
			return end + 2
		}
		return len(code)
	case '\\', '_', '*': // the next as it is, the width of the next, or as many as there is room for
		_, next := utf8.DecodeRuneInString(code[1:])
		if code[0] == '\\' {
			s.literal(code[1 : 1+next])
		} else {
			s.literal(" ")
		}
		return 1 + next
	case '[':
		end := strings.IndexByte(code, ']')
		if end < 0 {
			return len(code)
		}
		s.bracket(code[1:end])
		return end + 1
	case '0', '#', '?', '.', ',', '%', '/', '@':
		s.number(code[0])
		return 1
	}
	lower := strings.ToLower(code[:min(len(code), len("general"))])
	for _, word := range []string{"am/pm", "a/p"} {
		if strings.HasPrefix(lower, word) {
			return len(word)
		}
	}
	switch {
	case lower == "general":
		s.plain = true
		return len(lower)
	case strings.HasPrefix(lower, "e+") || strings.HasPrefix(lower, "e-"):
		s.exponent = true
		return 2
	case strings.IndexByte("ymdhs", lower[0]) >= 0:
		if !strings.HasSuffix(s.letters, lower[:1]) {
			s.letters += lower[:1]
		}
	default:
		s.literal(code[:first])
	}
	return first
}

// literal takes text that is shown as it is.
func (s *formatSection) literal(text string) {
	switch {
	case len(s.whole) == 0 && !s.behind && !s.plain:
		s.lead += text
	case s.behind || s.plain || s.exponent:
		s.tail += text
	default:
		s.whole = append(s.whole, formatPlace{text: text})
	}
}

// bracket takes what is in brackets: a duration, a currency, or else a color or a condition.
func (s *formatSection) bracket(text string) {
	if currency, found := strings.CutPrefix(text, "$"); found {
		sign, _, _ := strings.Cut(currency, "-")
		s.literal(sign)
		return
	}
	unit := strings.ToLower(text)
	if unit != "" && strings.Trim(unit, unit[:1]) == "" && strings.IndexByte("hms", unit[0]) >= 0 {
		s.elapsed = unit[0]
		s.letters += unit[:1]
	}
}

// number takes a sign that is about digits.
func (s *formatSection) number(sign byte) {
	isDigit := sign == '0' || sign == '#' || sign == '?'
	switch {
	case s.exponent && isDigit:
	case isDigit && s.behind:
		s.most++
		if sign == '0' {
			s.least = s.most
		}
	case isDigit:
		s.grouped = s.grouped || s.commas > 0
		s.commas = 0
		s.whole = append(s.whole, formatPlace{isDigit: true, required: sign == '0'})
	case sign == '.':
		s.behind = true
	case sign == ',':
		s.commas++
	case sign == '%':
		s.percents++
		s.literal("%")
	case sign == '/' || sign == '@': // fractions are shown as decimals
		s.plain = true
	}
}

// finish moves the text behind the last digit to the end.
func (s *formatSection) finish() formatSection {
	s.thousands = s.commas
	tail := ""
	for len(s.whole) > 0 && !s.whole[len(s.whole)-1].isDigit {
		tail = s.whole[len(s.whole)-1].text + tail
		s.whole = s.whole[:len(s.whole)-1]
	}
	s.tail = tail + s.tail
	return *s
}
