package retrieval

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sort is what many documents of a sort are made of: parts with places to fill in, or the rows
// of a table.
type sort struct {
	Lang, Name string
	Share      int
	Parts      []string
	Head, Row  string
	Rows       int
}

// filling makes documents that answer no question.
type filling struct {
	words map[string]map[string][]string // by language, and what they are
	sorts []sort
}

func newFilling() (*filling, error) {
	f := &filling{}
	content, err := files.ReadFile("corpus/words.json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &f.words); err != nil {
		return nil, fmt.Errorf("words.json: %w", err)
	}
	f.sorts, err = linesOf[sort]("filler.jsonl")
	return f, err
}

// documents are those of all sorts, one in so many.
func (f *filling) documents(part int) (all []Document) {
	seen := map[string]bool{}
	for i, s := range f.sorts {
		for n := 0; n < s.Share; n += part {
			for try := 0; ; try++ {
				d := f.draw(s.Lang, i, n, try)
				name := d.fill(s.Name)
				if seen[name] {
					continue
				}
				seen[name] = true
				all = append(all, Document{name, []string{s.text(d)}})
				break
			}
		}
	}
	return all
}

// text is that of a document of a sort; parts are left out here and there.
func (s sort) text(d *draw) string {
	if s.Row != "" {
		lines := []string{s.Head}
		for range s.Rows {
			clear(d.chosen)
			lines = append(lines, d.fill(s.Row))
		}
		return strings.Join(lines, "\n") + "\n"
	}
	parts := slices.Clone(s.Parts[:1])
	for _, p := range s.Parts[1:] {
		if d.roll(6) > 0 {
			parts = append(parts, p)
		}
	}
	return d.fill(strings.Join(parts, "\n\n")) + "\n"
}

// around is a text among others of its language, unless it is a table by itself.
func (f *filling) around(name, text, language string) string {
	if path.Ext(name) == ".csv" {
		return text + "\n"
	}
	d := f.draw(language, name)
	var parts []string
	for len(parts) < 3 {
		s := f.sorts[d.roll(len(f.sorts))]
		if s.Lang == language && s.Row == "" {
			parts = append(parts, d.fill(s.Parts[1+d.roll(len(s.Parts)-1)]))
		}
	}
	parts = slices.Insert(parts, d.roll(len(parts)+1), text)
	if path.Ext(name) == ".md" {
		parts = slices.Insert(parts, 0, "# "+strings.TrimSuffix(name, ".md"))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// draw chooses words and numbers, the same for the same seed.
type draw struct {
	words  map[string][]string
	seed   string
	rolls  int
	chosen map[string]int
}

func (f *filling) draw(language string, seed ...any) *draw {
	return &draw{f.words[language], fmt.Sprintln(seed...), 0, map[string]int{}}
}

// roll is a number from 0 to below n.
func (d *draw) roll(n int) int {
	d.rolls++
	h := fnv.New64a()
	_, _ = h.Write([]byte(d.seed + strconv.Itoa(d.rolls))) // never fails
	mixed := h.Sum64()
	mixed = (mixed ^ mixed>>32) * 0x9e3779b97f4a7c15 // its last bytes change few bits by themselves
	return int(mixed >> 33 % uint64(n))              //nolint:gosec // it is below n, which is small
}

var slots = regexp.MustCompile(`\{[a-z]+[0-9]?\}`)

// fill fills the places of a text in: a word is the same wherever its place has the same name,
// person2 is another one than person, n3 a number of three digits each time.
func (d *draw) fill(text string) string {
	return slots.ReplaceAllStringFunc(text, func(slot string) string {
		kind := strings.TrimRight(slot[1:len(slot)-1], "0123456789")
		digits, _ := strconv.Atoi(slot[1+len(kind) : len(slot)-1]) // none are 0
		switch kind {
		case "n":
			low := 1
			for range digits - 1 {
				low *= 10
			}
			return strconv.Itoa(low + 1 + d.roll(9*low-1))
		case "year":
			return strconv.Itoa(2019 + d.choice(kind, 8))
		}
		words := d.words[kind]
		return words[(d.choice(kind, len(words))+3*max(0, digits-1))%len(words)]
	})
}

func (d *draw) choice(kind string, n int) int {
	if _, known := d.chosen[kind]; !known {
		d.chosen[kind] = d.roll(n)
	}
	return d.chosen[kind]
}
