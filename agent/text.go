package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip shortens a text to one line of at most n characters, the last of which
// is an ellipsis where something was left out.
func Clip(s string, n int) string {
	s = strings.Join(strings.Fields(s[:min(len(s), 16*n)]), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// ClipBytes returns the first n bytes of s at most, whole characters only.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// hashOf is the SHA-256 of a text in hex.
func hashOf[T string | []byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// MoneyText writes micro-USD for people: cents from one cent up, four digits below.
func MoneyText(micros int64) string {
	if micros != 0 && micros < 10_000 && micros > -10_000 {
		return fmt.Sprintf("$%.4f", float64(micros)/1e6)
	}
	return fmt.Sprintf("$%.2f", float64(micros)/1e6)
}

var (
	dollarAmounts = regexp.MustCompile(`\$[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?`)
	// figuresOfMoney are what the sentences of budgets close with.
	figuresOfMoney = regexp.MustCompile(`: an amount of an amount( spent(, an amount reserved by calls in progress)?, and the next model call may cost an amount)?`)
)

// WithoutAmounts removes amounts of money from one of our sentences, and the parts that say
// nothing without them.
func WithoutAmounts(text string) string {
	return figuresOfMoney.ReplaceAllString(dollarAmounts.ReplaceAllString(text, "an amount"), "")
}

// TokensText writes a count of tokens for people: 950, 41.2k, 1.3M, 2B.
func TokensText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return oneDigit(float64(n)/1e3) + "k"
	case n < 999_950_000:
		return oneDigit(float64(n)/1e6) + "M"
	default:
		return oneDigit(float64(n)/1e9) + "B"
	}
}

func oneDigit(f float64) string {
	return strconv.FormatFloat(float64(int64(f*10+0.5))/10, 'f', -1, 64)
}

// RawArgs returns args as JSON: as they are where they parse, else as a string.
func RawArgs(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return MustJSON(args)
}

// MustJSON encodes our own types, which always encode.
func MustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return b
}

// Language is one that models are spoken to in.
type Language string

// The languages of texts for models.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// languageSample is how many letters of a text tell its language.
const languageSample = 2000

// LanguageOf guesses the language of a text: Chinese where at least a fifth of its letters are
// Han characters and none is Japanese or Korean, else English. A Chinese word says as much in
// two characters as an English one in five or six letters.
func LanguageOf(text string) Language {
	letters, han := 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return English
		case unicode.Is(unicode.Han, r):
			han++
			letters++
		case unicode.IsLetter(r):
			letters++
		}
		if letters == languageSample {
			break
		}
	}
	if han > 0 && han*5 >= letters {
		return Chinese
	}
	return English
}
