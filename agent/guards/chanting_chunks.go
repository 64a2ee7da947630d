package guards

import "unicode"

const (
	// chunkLen is how long a chunk is, maxDistance how far apart its
	// occurrences may lie on average.
	chunkLen    = 50
	maxDistance = 75
	// chunkRing holds the newest positions, a power of two above the span of 10
	// occurrences.
	chunkRing  = 1024
	chunkSlots = 4096
	maxReach   = chunkRing - chunkLen
	// minWordy is how many of a chunk's characters must be letters or digits: a
	// horizontal rule with a word in it is not a chant.
	minWordy = 5
)

// chunkWindow finds the chunk that ends at each character among those before:
// a rolling hash, a table from hash to the newest position, and for each
// position the distance to the one before of the same hash.
type chunkWindow struct {
	pos   int // characters read
	since int // of them since the last reset
	hash  uint32
	wordy int // letters and the like in the newest chunk
	runes [64]rune
	// hashes, back and starts belong to the newest positions; starts are where
	// their characters begin, in bytes.
	hashes [chunkRing]uint32
	back   [chunkRing]uint16
	starts [chunkRing]int32
	table  [chunkSlots]uint16
}

// hashBase is odd, and its power takes the oldest of n characters out of the hash.
const hashBase uint32 = 0x01000193

func hashPower(n int) uint32 {
	p := uint32(1)
	for range n {
		p *= hashBase
	}
	return p
}

var hashOut = hashPower(chunkLen)

func (w *chunkWindow) reset() { w.since, w.hash, w.wordy = 0, 0, 0 }

// push takes a character and returns, where its chunk has occurred repeats
// times close together, that number, the distance of the newest two and where
// the first of them begins, in bytes.
func (w *chunkWindow) push(r rune, start, repeats int) (n, distance, from int) {
	at := w.pos & (chunkRing - 1)
	w.starts[at] = int32(start) //nolint:gosec // an answer has less than 2 GB
	w.hash = w.hash*hashBase + uint32(r) + 1
	if isWordy(r) {
		w.wordy++
	}
	if w.since >= chunkLen {
		out := w.runes[(w.pos-chunkLen)&63]
		w.hash -= hashOut * (uint32(out) + 1)
		if isWordy(out) {
			w.wordy--
		}
	}
	w.runes[w.pos&63] = r
	w.pos++
	w.since++
	if w.since < chunkLen || w.wordy < minWordy {
		w.back[at] = 0
		w.hashes[at] = 0
		return 0, 0, 0
	}
	w.hashes[at] = w.hash
	w.back[at] = w.find(at)
	return w.follow(at, repeats)
}

// find returns the distance to the newest chunk of the same hash, 0 for none,
// and puts this one in its place. Two chunks that share a slot take it from each
// other: of the chunks of a repetition some neighbour is found instead.
func (w *chunkWindow) find(at int) uint16 {
	slot := &w.table[(w.hash*0x9E3779B1)>>20] // the upper 12 bits, as many as there are slots
	here := uint16(w.pos - 1)                 //nolint:gosec // positions count round
	d := here - *slot
	*slot = here
	if int(d)-1 >= min(w.since-chunkLen, maxReach) || w.hashes[(at-int(d))&(chunkRing-1)] != w.hash {
		return 0
	}
	return d
}

// follow goes back from occurrence to occurrence.
func (w *chunkWindow) follow(at, repeats int) (n, distance, from int) {
	span := 0
	for n = 1; n < repeats; n++ {
		d := int(w.back[(at-span)&(chunkRing-1)])
		if d == 0 || span+d > maxDistance*(repeats-1) || span+d > maxReach {
			return 0, 0, 0
		}
		span += d
	}
	first := (at - span - chunkLen + 1) & (chunkRing - 1)
	return n, int(w.back[at]), int(w.starts[first])
}

// isWordy reports whether a character is something one says: a letter of any
// script, or an emoji. Rules, bars and numbers are not.
func isWordy(r rune) bool {
	if r < 0x80 {
		return (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')
	}
	return isEmoji(r) || unicode.IsLetter(r)
}

// isEmoji reports whether a character is one of the pictures that Unicode has
// in three places: signs and dingbats, arrows and stars, and all the newer ones.
func isEmoji(r rune) bool {
	return (r >= 0x2600 && r < 0x27C0) || (r >= 0x2B00 && r < 0x2C00) || (r >= 0x1F300 && r < 0x20000)
}
