package text

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"golang.org/x/text/language"
)

// The server writes its log, its refusals and the reasons on its cards once, in
// English: programs read them, and people of any language. Pages translate them
// when they show them, by the English format that made them, as gettext does. A
// stored sentence has lost its arguments, so these are found in it again.

// recordedFiles are the translations, by language.
//
//go:embed recorded/*.toml
var recordedFiles embed.FS

// maxRecorded bounds the length of what is looked up, in bytes.
const maxRecorded = 4000

// maxNested bounds sentences within sentences.
const maxNested = 3

// phrase is an English format with its translation.
type phrase struct {
	parts []string // what stands between its arguments
	text  string
}

// recorded are the translations into one language.
type recorded struct {
	language string
	exact    map[string]string
	phrases  []phrase // the most specific first
}

// argument is a place in a format.
var argument = regexp.MustCompile(`%[sdqv]`)

// readRecorded reads the translations into a language; there are none into English.
func readRecorded(tag language.Tag) (recorded, error) {
	all := recorded{language: tag.String(), exact: map[string]string{}}
	raw, err := recordedFiles.ReadFile("recorded/" + tag.String() + ".toml")
	if err != nil {
		return all, nil //nolint:nilerr // a language without them shows English
	}
	var tables map[string]map[string]string
	if err := toml.Unmarshal(raw, &tables); err != nil {
		return all, fmt.Errorf("recorded sentences in %s: %w", tag, err)
	}
	for _, table := range tables {
		for english, text := range table {
			all.add(english, text)
		}
	}
	slices.SortFunc(all.phrases, func(a, b phrase) int {
		return len(strings.Join(b.parts, "")) - len(strings.Join(a.parts, ""))
	})
	return all, nil
}

func (r *recorded) add(english, text string) {
	parts := argument.Split(english, -1)
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "%%", "%")
	}
	if len(parts) == 1 {
		r.exact[english] = text
		return
	}
	r.phrases = append(r.phrases, phrase{parts, text})
}

// Recorded is a text that the server wrote in English, in the printer's language.
// What has no translation stays as it is.
func (p *Printer) Recorded(english string) string {
	r := &p.texts().recorded
	if len(english) > maxRecorded || len(r.exact) == 0 {
		return english
	}
	if said, ok := r.exact[english]; ok {
		return said
	}
	said, all := r.sentences(english)
	if all {
		return said
	}
	if whole, ok := r.sentence(english, maxNested); ok {
		return whole
	}
	if field, detail, ok := strings.Cut(english, ": "); ok && !strings.Contains(field, " ") {
		if said, ok := r.sentence(detail, maxNested); ok {
			return field + "：" + said
		}
	}
	return said
}

// sentences translates one sentence after the other; all is false where one stayed as it is.
func (r *recorded) sentences(english string) (said string, all bool) {
	var b strings.Builder
	all = true
	for rest := english; rest != ""; {
		one, after, more := strings.Cut(rest, ". ")
		if more {
			one += "."
		}
		translated, ok := r.sentence(one, maxNested)
		b.WriteString(translated)
		if more && !ok {
			b.WriteString(" ")
		}
		rest, all = after, all && ok
	}
	return b.String(), all
}

// sentence is the translation of one; ok is false where there is none.
func (r *recorded) sentence(english string, depth int) (said string, ok bool) {
	if said, ok = r.exact[english]; ok {
		return said, true
	}
	if depth == 0 {
		return english, false
	}
	if said := amountOf(english, r.language); said != english {
		return said, true
	}
	for _, f := range r.phrases {
		args, ok := f.arguments(english)
		if !ok {
			continue
		}
		for i, arg := range args {
			args[i], _ = r.sentence(arg.(string), depth-1)
		}
		return closeUp(fmt.Sprintf(f.text, args...)), true
	}
	return english, false
}

// arguments finds what stood in a format; ok is false where the text was not made by it.
func (f phrase) arguments(text string) (args []any, ok bool) {
	rest, ok := strings.CutPrefix(text, f.parts[0])
	if !ok {
		return nil, false
	}
	last := len(f.parts) - 1
	for _, part := range f.parts[1:last] {
		arg, after, found := strings.Cut(rest, part)
		if !found || part == "" {
			return nil, false
		}
		args, rest = append(args, arg), after
	}
	arg, ok := strings.CutSuffix(rest, f.parts[last])
	return append(args, arg), ok
}
