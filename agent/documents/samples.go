package documents

import (
	"embed"
	"io"
)

//go:embed samples
var samples embed.FS

// sampleNames are the names of the samples by language, each with the file that it is.
var sampleNames = map[string][][2]string{
	"en": {{"Sample: parts in stock.csv", "parts-in-stock.csv"}, {"Sample: travel rules.md", "travel-rules.md"}, {"Sample: night trains.md", "night-trains.md"}},
	"zh": {{"示例：库存备件.csv", "parts-in-stock.csv"}, {"示例：出差规定.md", "travel-rules.md"}, {"示例：夜行列车.md", "night-trains.md"}},
}

// EachSample hands over the documents that people can try a search with, in a language: en or zh.
func EachSample(language string, add func(name string, content io.Reader) error) error {
	for _, s := range sampleNames[language] {
		f, err := samples.Open("samples/" + language + "/" + s[1])
		if err != nil {
			return err
		}
		if err := add(s[0], f); err != nil {
			return err
		}
	}
	return nil
}
