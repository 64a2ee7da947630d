package guards

import (
	"fmt"
	"strings"
	"unicode"

	"fusebox/agent"
)

// The rules of chanting, as evidence names them.
const (
	ruleChunks  = "chunks"
	ruleUnits   = "units"
	rulePeriod  = "period"
	ruleRising  = "rising"
	ruleSaid    = "sentences"
	ruleNovelty = "novelty"
	ruleWhite   = "white_space"
	// ruleArguments is that of the arguments of calls.
	ruleArguments = "arguments"
)

// finding is what one of the rules of chanting has found.
type finding struct {
	rule        string
	count, need int
	from        int // where the repetition begins, in bytes
	// sentence says what repeats, how often, and by which rule; excerpt is what
	// repeats, once.
	sentence, excerpt string
}

// verdict cuts the stream.
func (f *finding) verdict() agent.Verdict {
	return agent.Verdict{
		Level: agent.Pause, Detector: "chanting", Key: "chant", Count: f.count, Threshold: f.need, Keep: f.from,
		Message: f.sentence, Excerpt: f.excerpt, Rule: f.rule, Reason: agent.StopLoop,
	}
}

// repeated is the finding of chunks and of units.
func repeated(rule string, count, need, from int, unit []rune) finding {
	unit = fromItsBeginning(unit)
	how := ""
	if rule == ruleUnits {
		how = " in a row"
	}
	return finding{
		rule: rule, count: count, need: need, from: from, excerpt: strings.TrimSpace(string(unit)),
		sentence: fmt.Sprintf("The answer has repeated itself %d times%s: %q", count, how, quotedUnit(unit)),
	}
}

func exactPeriod(w *periodWindow, count, need int) finding {
	unit := fromItsBeginning(w.tail(w.period))
	what := fmt.Sprintf("the same %d characters", w.period)
	if w.period == 1 {
		what = "the same character"
	}
	return finding{
		rule: rulePeriod, count: count, need: need, from: w.from, excerpt: strings.TrimSpace(string(unit)),
		sentence: fmt.Sprintf("The answer has repeated %s %d times in a row: %q", what, count, quotedUnit(unit)),
	}
}

func risingCounters(w *risingLines, lines, block int, text *periodWindow) finding {
	length := w.line.at - w.past[(w.count-block)%risingPast].at // of the newest block, in characters
	newest := strings.TrimSpace(string(text.tail(length)))
	return finding{
		rule: ruleRising, count: lines, need: risingNeeded, from: w.rises[block].start, excerpt: newest,
		sentence: fmt.Sprintf("The answer has %d lines in a row in which only counters change, each by one: %q", lines, quotedUnit([]rune(newest))),
	}
}

func fewSentences(w *sentenceWindow, count, need int, text *periodWindow) finding {
	newest := fromWord(text.tail(periodRing))
	return finding{
		rule: ruleSaid, count: count, need: need, from: w.from, excerpt: newest,
		sentence: fmt.Sprintf("The answer has said the same few sentences for %d sentences in a row, and none that is new.", count),
	}
}

func noNovelty(w *noveltyWindow, text *periodWindow) finding {
	newest := fromWord(text.tail(periodRing))
	return finding{
		rule: ruleNovelty, count: noveltyLast, need: noveltyLast, from: int(w.at(w.oldest).start), excerpt: newest,
		sentence: fmt.Sprintf("The answer has said nothing new for %d characters: at least %d%% of them stood in the %d before.",
			noveltyLast, noveltyOld, noveltyBefore),
	}
}

func whiteSpace(w *whiteRun) finding {
	return finding{
		rule: ruleWhite, count: w.length, need: w.most(), from: w.from,
		sentence: fmt.Sprintf("The answer has %d characters of white space in a row.", w.length),
		excerpt:  fmt.Sprintf("(%d characters of white space)", w.length),
	}
}

// maxQuoted bounds the repeated text in a verdict's sentence.
const maxQuoted = 60

// quotedUnit is the beginning of a text on one line.
func quotedUnit(text []rune) string {
	q := strings.Join(strings.Fields(string(text[:min(len(text), maxQuoted)])), " ")
	if len(text) > maxQuoted {
		q += "…"
	}
	return q
}

// fromWord is a text without the word that it begins in the middle of.
func fromWord(text []rune) string {
	s := string(text)
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 && i < len(s)/2 {
		s = s[i:]
	}
	return strings.TrimSpace(s)
}

// fromItsBeginning turns a unit round so that it begins behind the end of a
// sentence, or of a word, where it holds one.
func fromItsBeginning(unit []rune) []rune {
	at := lastOf(unit, func(r rune) bool { return strings.ContainsRune(".!?。！？\n", r) })
	if at < 0 {
		at = lastOf(unit, unicode.IsSpace)
	}
	turned := append(append([]rune{}, unit[at+1:]...), unit[:at+1]...)
	for range turned {
		if !unicode.IsSpace(turned[0]) {
			break
		}
		turned = append(turned[1:], turned[0])
	}
	return turned
}

func lastOf(unit []rune, is func(rune) bool) int {
	for i := len(unit) - 1; i >= 0; i-- {
		if is(unit[i]) {
			return i
		}
	}
	return -1
}
