package fingerprint

import (
	"regexp"
	"strings"
	"unicode"
)

// Shape identifies arguments up to what a model varies without
// changing what it asks for: numbers, dates, ids, white space and letter case.
// Names of files and paths stay as they are, because going through part1.txt,
// part2.txt is work and not a repetition. identity is as in FingerprintArgs.
func Shape(args string, identity []string) string {
	v, ok := ParseJSON(args)
	if !ok {
		return digest([]byte(shapeText(args)))
	}
	return digest(canonical(eachLeaf(pick(v, identity), func(v any) any {
		switch v := v.(type) {
		case string:
			return shapeText(v)
		case nil, bool:
			return v
		default: // a number
			return mark
		}
	})))
}

// mark replaces something that may vary.
const mark = "#"

// stamps are points in time, ids and hashes: noise, also within a path.
var stamps = regexp.MustCompile(
	`\d{4}-\d{2}-\d{2}[t ]\d{2}:?\d{2}(:?\d{2}(\.\d+)?)?(z|[+-]\d{2}:?\d{2})?` +
		`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b` +
		`|\b[0-9a-f]{16,}\b|\d{10,}`)

var (
	slashedDate = regexp.MustCompile(`^\d{1,4}/\d{1,2}/\d{1,4}$`)
	fileEnding  = regexp.MustCompile(`[a-z0-9_-]\.[a-z][a-z0-9]{0,5}$`)
	numbers     = regexp.MustCompile(`[0-9]+([.,:-][0-9]+)*`)
	hexID       = regexp.MustCompile(`\b[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]*\b`)
)

func shapeText(s string) string {
	s = stamps.ReplaceAllString(strings.ToLower(s), mark)
	words := strings.FieldsFunc(s, unicode.IsSpace)
	for i, w := range words {
		words[i] = shapeWord(w)
	}
	return strings.Join(words, " ")
}

// shapeWord marks the numbers of a word, of a URL only those of its query.
func shapeWord(w string) string {
	path, query, asks := strings.Cut(w, "?")
	bare := strings.Trim(path, `.,;:!"'()[]{}`)
	if !slashedDate.MatchString(bare) && (strings.ContainsAny(bare, `/\`) || fileEnding.MatchString(bare)) {
		if asks {
			return path + "?" + markNumbers(query)
		}
		return w
	}
	return markNumbers(w)
}

func markNumbers(s string) string {
	return numbers.ReplaceAllString(hexID.ReplaceAllStringFunc(s, func(id string) string {
		if len(id) < 6 {
			return id
		}
		return mark
	}), mark)
}
