package agent

import "unicode"

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
