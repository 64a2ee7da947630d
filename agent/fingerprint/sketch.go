package fingerprint

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"unicode"
)

// maxSketch bounds how many pairs of words of a text are kept.
const maxSketch = 128

// Sketch keeps of arguments what Likeness compares: the hashes of their pairs of
// words, of a long text those that are smallest, 4 bytes each.
func Sketch(args string) string {
	var hashes []uint32
	before := uint32(0)
	for _, word := range words(args) {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(word)) // a hash takes everything
		h := sum.Sum32()
		hashes = append(hashes, h*0x9E3779B1^before)
		before = h
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	b := make([]byte, 0, 4*min(len(hashes), maxSketch))
	for _, h := range hashes[:min(len(hashes), maxSketch)] {
		b = binary.BigEndian.AppendUint32(b, h)
	}
	return string(b)
}

// words are the runs of letters and digits of a text, and each sign by itself.
func words(text string) (all []string) {
	from := -1
	for i, r := range text {
		isPart := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if isPart && from < 0 {
			from = i
		}
		if isPart {
			continue
		}
		if from >= 0 {
			all, from = append(all, text[from:i]), -1
		}
		if !unicode.IsSpace(r) {
			all = append(all, string(r))
		}
	}
	if from >= 0 {
		all = append(all, text[from:])
	}
	return all
}

// Likeness is how much two sketches have in common, in percent of both.
func Likeness(a, b string) int {
	both, all := 0, 0
	for ; all < maxSketch && (a != "" || b != ""); all++ {
		switch {
		case b == "" || a != "" && a[:4] < b[:4]:
			a = a[4:]
		case a == "" || b[:4] < a[:4]:
			b = b[4:]
		default:
			both++
			a, b = a[4:], b[4:]
		}
	}
	if all == 0 {
		return 100
	}
	return both * 100 / all
}
