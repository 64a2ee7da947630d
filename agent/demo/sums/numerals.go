package sums

import (
	"regexp"
	"strconv"
	"strings"
)

// notNumbers are words with a numeral in them that count nothing.
var (
	notNumbers = regexp.MustCompile(`一下|一共|一起|一些|一个|一样|一直|万一|十分|第一`)
	numeralZH  = regexp.MustCompile(`[零〇一二两三四五六七八九十百千万]+(?:点[零〇一二三四五六七八九]+)?`)
	digitZH    = map[rune]int{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	unitZH     = map[rune]int{'十': 10, '百': 100, '千': 1000}
)

// digitsZH writes Chinese numerals in digits. 百分之 stays: it means percent, not a
// hundred.
func digitsZH(text string) string {
	text = notNumbers.ReplaceAllString(text, " ")
	parts := strings.Split(text, "百分之")
	for i, p := range parts {
		parts[i] = numeralZH.ReplaceAllStringFunc(p, func(numeral string) string {
			whole, fraction, hasFraction := strings.Cut(numeral, "点")
			written := strconv.Itoa(valueZH(whole))
			if hasFraction {
				written += "."
				for _, c := range fraction {
					written += strconv.Itoa(digitZH[c])
				}
			}
			return written
		})
	}
	return strings.Join(parts, "百分之")
}

// valueZH reads numerals like 三百二十五 and 两万, or digits in a row.
func valueZH(numeral string) int {
	total, section, digit, units := 0, 0, 0, false
	for _, c := range numeral {
		switch unit := unitZH[c]; {
		case c == '万':
			total, section, digit, units = (total+section+digit)*10_000, 0, 0, true
		case unit > 0:
			section, digit, units = section+max(digit, 1)*unit, 0, true
		case units:
			digit = digitZH[c]
		default:
			digit = 10*digit + digitZH[c]
		}
	}
	return total + section + digit
}

var (
	numberWord = regexp.MustCompile(`\b(?:(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)\b[ -]?)+`)
	valueOf    = map[string]int{
		"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
		"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
)

func digitsEnglish(text string) string {
	return numberWord.ReplaceAllStringFunc(text, func(words string) string {
		total, section := 0, 0
		for _, w := range strings.Fields(strings.ReplaceAll(words, "-", " ")) {
			switch w {
			case "hundred":
				section = max(section, 1) * 100
			case "thousand":
				total, section = total+max(section, 1)*1000, 0
			default:
				section += valueOf[w]
			}
		}
		written := strconv.Itoa(total + section)
		if strings.HasSuffix(words, " ") {
			written += " "
		}
		return written
	})
}

var number = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// Numbers are the numbers of a text, in order.
func Numbers(text string) []float64 {
	var list []float64
	for _, found := range number.FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(found, 64); err == nil {
			list = append(list, v)
		}
	}
	return list
}
