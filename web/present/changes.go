package present

import (
	"slices"
	"strings"
	"unicode"

	"fusebox/views/part"
)

// maxCompared bounds the words of two texts that are compared; longer ones are
// shown whole.
const maxCompared = 400

// changes cuts a text into what stood in the one before, and what is new:
// the longest common subsequence of their words, by the table of Wagner and
// Fischer.
func changes(before, after string) []part.Piece {
	a, b := wordsOf(before), wordsOf(after)
	if before == after || len(a) > maxCompared || len(b) > maxCompared {
		return unchanged(after)
	}
	common := commonLengths(a, b)
	var pieces []part.Piece
	for i, j := 0, 0; j < len(b); {
		switch {
		case i < len(a) && a[i] == b[j]:
			pieces = addPiece(pieces, b[j], false)
			i, j = i+1, j+1
		case i < len(a) && common[i+1][j] >= common[i][j+1]:
			i++
		default:
			pieces = addPiece(pieces, b[j], true)
			j++
		}
	}
	return pieces
}

// commonLengths holds, for each pair of positions, how many words the rests of
// both texts have in common.
func commonLengths(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func addPiece(pieces []part.Piece, text string, isNew bool) []part.Piece {
	if n := len(pieces); n > 0 && pieces[n-1].New == isNew {
		pieces[n-1].Text += text
		return pieces
	}
	return append(pieces, part.Piece{Text: text, New: isNew})
}

// wordsOf cuts a text into words, numbers, and the single characters between.
func wordsOf(text string) []string {
	var words []string
	for len(text) > 0 {
		n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case n < 0:
			return append(words, text)
		case n == 0:
			r := []rune(text)[0]
			n = len(string(r))
			if r == unicode.ReplacementChar {
				n = 1
			}
		}
		words = append(words, text[:n])
		text = text[n:]
	}
	return words
}
