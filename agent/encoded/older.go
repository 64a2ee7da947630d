package encoded

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// eastern is an encoding with characters of several bytes. All of them can be read in
// several ways; what tells them apart is where their common characters are.
type eastern struct {
	way
	// width is how many bytes a character that begins with these two has.
	width func(lead, trail byte) int
	// common are the characters that make up nearly all of a text.
	common func(lead, trail byte) bool
	// share of 100 characters have to be common, and distinct ones of them different.
	share, distinct int
	// apart says that characters of it are also found one by one between Latin ones.
	apart bool
}

// chinese is what a text is that may be in several encodings.
var chinese = way{"GB18030", simplifiedchinese.GB18030}

// easterns are in the order of preference. Korean is also Chinese with few characters, so
// it takes some text to tell.
var easterns = []eastern{
	named("EUC-KR", korean.EUCKR, 97, 10, twoBytes, func(lead, _ byte) bool { return in(lead, 0xb0, 0xc8) }),
	{chinese, gbWidth, func(lead, trail byte) bool {
		return trail >= 0xa1 && (in(lead, 0xa1, 0xa3) || lead == 0xa9 || in(lead, 0xb0, 0xd7))
	}, 50, 1, true},
	named("Shift_JIS", japanese.ShiftJIS, 80, 4, sjisWidth, func(lead, _ byte) bool { return in(lead, 0x81, 0x83) || in(lead, 0x88, 0x97) }),
	named("EUC-JP", japanese.EUCJP, 80, 4, eucJPWidth, func(lead, _ byte) bool {
		return in(lead, 0xa1, 0xa5) || in(lead, 0xb0, 0xcf)
	}),
	named("Big5", traditionalchinese.Big5, 80, 4, twoBytes, func(lead, _ byte) bool { return in(lead, 0xa1, 0xc6) }),
}

func named(name string, codec encoding.Encoding, share, distinct int, width func(lead, trail byte) int, common func(lead, trail byte) bool) eastern {
	return eastern{way{name, codec}, width, common, share, distinct, false}
}

func in(b, least, most byte) bool { return b >= least && b <= most }

func twoBytes(_, _ byte) int { return 2 }

func gbWidth(_, trail byte) int {
	if in(trail, '0', '9') {
		return 4
	}
	return 2
}

func sjisWidth(lead, _ byte) int {
	if in(lead, 0xa1, 0xdf) {
		return 1
	}
	return 2
}

func eucJPWidth(lead, _ byte) int {
	if lead == 0x8f {
		return 3
	}
	return 2
}

// sight is what one encoding would make of a text.
type sight struct {
	characters, common, distinct int
	together                     int // characters right behind another
}

func (e eastern) look(raw string) sight {
	var s sight
	seen := map[[2]byte]bool{}
	for i, end := 0, -1; i < len(raw); {
		if raw[i] < 0x80 {
			i++
			continue
		}
		if i+1 == len(raw) {
			break // it is cut
		}
		lead, trail := raw[i], raw[i+1]
		s.characters++
		if i == end {
			s.together++
		}
		if e.common(lead, trail) {
			s.common++
			seen[[2]byte{lead, trail}] = true
		}
		i += e.width(lead, trail)
		end = i
	}
	s.distinct = len(seen)
	return s
}

// grouped reports whether characters stand beside each other, as those of these languages
// do, and accented letters do not.
func (s sight) grouped() bool { return s.characters >= 4 && 3*s.together >= s.characters }

// fits reports whether a text looks like one in this encoding.
func (e eastern) fits(s sight) bool {
	return 100*s.common >= e.share*s.characters && s.distinct >= e.distinct && (e.apart || s.grouped())
}

// older reads a text in the encoding that it looks like.
func older(raw string, more bool) (way, string, bool) {
	var as way
	var content string
	best := -1
	for _, e := range easterns {
		s := e.look(raw)
		share := 100 * s.common / max(s.characters, 1)
		if share <= best || !e.fits(s) {
			continue
		}
		if text, ok := e.decode(raw, more); ok && !strings.ContainsFunc(text, strange) {
			as, content, best = e.way, text, share
		}
	}
	if best >= 0 {
		return as, content, true
	}
	if text, ok := western.decode(raw, more); ok && isWestern(raw, text) {
		return western, text, true
	}
	// Rare characters, such as the traditional ones.
	if text, ok := chinese.decode(raw, more); ok && easterns[1].look(raw).grouped() && !strings.ContainsFunc(text, strange) {
		return chinese, text, true
	}
	return way{}, "", false
}

var western = way{"Latin-1 (windows-1252)", charmap.Windows1252}

// familiar are the accented letters and signs of western European languages.
const familiar = "äöüßÄÖÜéèêëÉÈÊàâáãåæÀÂÁÃÅÆíìîïÍÎóòôõøÓÔÕØúùûÚÛñÑçÇœŒ°£§€«»“”‘’„–—…·±²³µ©®½¿¡\u00a0"

// isWestern reports whether letters beyond ASCII stand where accents do: alone or in twos,
// among others. Those of other alphabets, which nothing tells apart, make up whole words.
func isWestern(raw, text string) bool {
	if strings.ContainsFunc(text, strange) {
		return false
	}
	high, alone, longest := 0, 0, 0
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < 0x80 }) {
		n := utf8.RuneCountInString(run)
		high, longest = high+n, max(longest, n)
		if n < 3 {
			alone += n
		}
	}
	other := func(r rune) bool { return r >= 0x80 && !strings.ContainsRune(familiar, r) }
	return 2*alone > high && 2*high <= len(raw) || longest <= 4 && !strings.ContainsFunc(text, other)
}
