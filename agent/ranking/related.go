package ranking

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Related is a word of a question that others say nearly the same as, or say in the other
// language.
type Related struct {
	// Start and End are the bytes of the question that it stands for.
	Start, End int
	// Others are the other words, each as the terms that follow each other in a text that has it.
	Others [][]string
}

// FindRelated finds the words of a question that have others, the longest at each place.
func FindRelated(question string) (all []Related) {
	known, atoms := concepts(), atomsOf(Terms(question))
	for i := 0; i < len(atoms); {
		n := min(len(atoms)-i, known.longest)
		for ; n > 0; n-- {
			if others := known.others(atoms[i : i+n]); len(others) > 0 {
				all = append(all, Related{atoms[i].Start, atoms[i+n-1].End, others})
				break
			}
		}
		i += max(n, 1)
	}
	return all
}

// atomsOf leaves of terms what is in no other one: words, and characters without their pairs.
func atomsOf(terms []Term) (atoms []Term) {
	for i, t := range terms {
		pair := i+1 < len(terms) && terms[i+1].Kind == Character && terms[i+1].Place == t.Place
		if t.Kind == Character || t.Kind == Word && !pair {
			atoms = append(atoms, t)
		}
	}
	return atoms
}

// thesaurus is the words of concepts, and the concepts of words.
type thesaurus struct {
	words    [][]otherWord    // of each concept
	concepts map[string][]int // by the atoms of a word
	longest  int              // the most atoms of a word
}

type otherWord struct {
	atoms  string
	phrase []string
}

//go:embed concepts.txt
var conceptLines string

var concepts = sync.OnceValue(func() *thesaurus {
	t := &thesaurus{concepts: map[string][]int{}}
	for line := range strings.Lines(conceptLines) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var words []otherWord
		for _, word := range strings.Fields(line) {
			terms := Terms(strings.ReplaceAll(word, "_", " "))
			atoms := atomsOf(terms)
			key := keyOf(atoms)
			if stopWords[key] {
				continue
			}
			t.concepts[key] = append(t.concepts[key], len(t.words))
			t.longest = max(t.longest, len(atoms))
			words = append(words, otherWord{key, phraseOf(terms)})
		}
		t.words = append(t.words, words)
	}
	return t
})

func keyOf(atoms []Term) string {
	var texts []string
	for _, a := range atoms {
		texts = append(texts, a.Text)
	}
	return strings.Join(texts, " ")
}

// others are the words that say nearly the same as one that consists of atoms.
func (t *thesaurus) others(atoms []Term) (others [][]string) {
	own := keyOf(atoms)
	seen := map[string]bool{own: true}
	for _, concept := range t.concepts[own] {
		for _, word := range t.words[concept] {
			if !seen[word.atoms] {
				seen[word.atoms] = true
				others = append(others, word.phrase)
			}
		}
	}
	return others
}

// phraseOf are the terms that follow each other wherever a word is part of a text: not the
// characters of the last pair, between which the next pair may begin.
func phraseOf(terms []Term) (phrase []string) {
	for i, t := range terms {
		if t.Kind == Whole || t.Kind == Character && !slices.ContainsFunc(terms[i:], func(t Term) bool { return t.Kind == Word }) {
			continue
		}
		phrase = append(phrase, t.Text)
	}
	return phrase
}
