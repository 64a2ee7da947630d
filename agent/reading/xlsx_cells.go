package reading

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxDigits is the number of digits that Excel counts with.
const maxDigits = 15

// show is a number as the format shows it; dates are ISO 8601.
func (f numberFormat) show(v float64, from1904 bool) string {
	if len(f.sections) == 0 {
		return plainNumber(v)
	}
	s, sign := &f.sections[0], ""
	switch {
	case v < 0 && len(f.sections) > 1:
		s, v = &f.sections[1], -v
	case v == 0 && len(f.sections) > 2:
		s = &f.sections[2]
	case v < 0:
		v, sign = -v, "-"
	}
	switch {
	case s.letters != "" && sign == "" && v < maxDate:
		return s.date(v, from1904)
	case s.letters != "":
		return sign + plainNumber(v)
	case s.plain:
		return sign + strings.TrimSpace(s.lead+plainNumber(v)+s.tail)
	case len(s.whole) == 0 && s.most == 0:
		return strings.TrimSpace(s.lead + s.tail)
	}
	return sign + strings.TrimSpace(s.lead+s.digits(v)+s.tail)
}

// plainNumber is a number without a format: as short as it can be.
func plainNumber(v float64) string {
	v = rounded(v)
	if size := math.Abs(v); size != 0 && size < 1e-9 || size >= 1e21 {
		return strconv.FormatFloat(v, 'G', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// rounded is a number without what calculating in binary left in its last digits.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', maxDigits, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// digits are those of a number that is not negative.
func (s *formatSection) digits(v float64) string {
	v *= math.Pow(100, float64(s.percents)) / math.Pow(1000, float64(s.thousands))
	most := min(s.most, maxDigits)
	if s.exponent {
		return strconv.FormatFloat(rounded(v), 'E', most, 64)
	}
	scale := math.Pow(10, float64(most))
	if v*scale < 1e15 {
		v = math.Round(rounded(v*scale)) / scale // halves go up
	}
	whole, behind, _ := strings.Cut(strconv.FormatFloat(v, 'f', most, 64), ".")
	for len(behind) > s.least && behind[len(behind)-1] == '0' {
		behind = behind[:len(behind)-1]
	}
	whole = s.places(whole)
	if behind == "" {
		return whole
	}
	return whole + "." + behind
}

// places puts the digits before the point into the places of the format, from the last.
func (s *formatSection) places(digits string) string {
	if s.grouped {
		digits = grouped(digits)
	}
	var parts []string
	for i, place := range slices.Backward(s.whole) {
		switch {
		case !place.isDigit:
			parts = append(parts, place.text)
		case digits != "" && i > 0:
			parts = append(parts, digits[len(digits)-1:])
			digits = digits[:len(digits)-1]
		case place.required && digits == "":
			parts = append(parts, "0")
		}
	}
	slices.Reverse(parts)
	return digits + strings.Join(parts, "")
}

// grouped separates thousands.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
