package histories

import (
	"hash/fnv"
	"io"
	"math/rand/v2"

	"fusebox/agent/guards"
)

// Sizes of the pieces in which a text is streamed, in characters.
const (
	minPiece = 5
	maxPiece = 20
)

// pieces cuts the texts of a history as a model streams them. The same name cuts
// them in the same places.
func pieces(lines []guards.Line, name string) []guards.Line {
	seed := fnv.New64a()
	_, _ = io.WriteString(seed, name) // a hash takes everything
	random := rand.New(rand.NewPCG(seed.Sum64(), 0))
	var cut []guards.Line
	for _, l := range lines {
		if l.Text == nil {
			cut = append(cut, l)
			continue
		}
		for rest := []rune(*l.Text); len(rest) > 0; {
			n := min(minPiece+random.IntN(maxPiece-minPiece+1), len(rest))
			piece := string(rest[:n])
			cut = append(cut, guards.Line{Text: &piece, At: l.At})
			rest = rest[n:]
		}
	}
	return cut
}
