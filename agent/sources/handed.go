package sources

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent"
)

// Handed is what a run has said as other runs of its tree get it. Each run has numbers of its own:
// its sources stand there by ids, which are the same in all, and a number without a source is no mark.
// Where the run has retrieved nothing, brackets are text.
func Handed(m agent.Message) string {
	if len(m.Citations)+len(m.UnknownCitations) == 0 {
		return m.Content
	}
	return byIDs(m.Content, idsOf(m.Citations), "#")
}

// HandedValue is a value that a run has delivered as other runs of its tree get it: in its texts, what
// the run's answer cites as well stands by ids. All else is left as it is, numbers too: it is data.
func HandedValue(value json.RawMessage, all []agent.Citation) json.RawMessage {
	if len(all) == 0 || !bytes.ContainsAny(value, "[【") {
		return value
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return value
	}
	return agent.MustJSON(eachText(v, idsOf(all)))
}

// eachText has the sources in the texts of a decoded value stand by ids.
func eachText(v any, ids map[string]string) any {
	switch v := v.(type) {
	case string:
		return byIDs(v, ids, "")
	case []any:
		for i := range v {
			v[i] = eachText(v[i], ids)
		}
	case map[string]any:
		for key := range v {
			v[key] = eachText(v[key], ids)
		}
	}
	return v
}

// idsOf are the ids of sources by what they stand as in brackets.
func idsOf(all []agent.Citation) map[string]string {
	ids := map[string]string{}
	for _, c := range all {
		for _, key := range Keys(c) {
			ids[key] = idOf(c)
		}
	}
	return ids
}

// byIDs is a text with the ids of its sources in the place of their numbers. other stands before
// numbers that have none, but for 0, which nothing has.
func byIDs(text string, ids map[string]string, other string) string {
	var b strings.Builder
	at := 0
	for _, mark := range marksIn(text) {
		if other == "" && !slices.ContainsFunc(mark.keys, func(key string) bool { return ids[key] != "" }) {
			continue
		}
		b.WriteString(text[at:mark.from])
		for _, key := range mark.keys {
			switch id := ids[key]; {
			case id != "":
				key = id
			case strings.Trim(key, "0") != "" && key[0] != 'p':
				key = other + key
			}
			b.WriteString("[" + key + "]")
		}
		at = mark.to
	}
	return b.String() + text[at:]
}

// MaxIDMark is how long the mark of an id is at most, in bytes.
const MaxIDMark = maxPassage + len("[]")

// idMark is a mark in what a run hands back.
var idMark = regexp.MustCompile(`\[(p[0-9A-Z]{20,39})\]`)

// HandedWith are those sources of a run's answer that a part of it names by their ids, the first
// that fit into some bytes of JSON.
func HandedWith(part string, all []agent.Citation, room int) (with []agent.HandedSource) {
	named := map[string]bool{}
	for _, m := range idMark.FindAllStringSubmatch(part, -1) {
		named[m[1]] = true
	}
	for _, c := range all {
		s := agent.HandedSource{ID: idOf(c), DocumentID: c.DocumentID, URL: c.URL, Name: c.Name}
		if !named[s.ID] {
			continue
		}
		if room -= len(agent.MustJSON(s)); room < 0 {
			break
		}
		with = append(with, s)
	}
	return with
}

// idOf is the id of a source: that of its passage, or one that is made of its address.
func idOf(c agent.Citation) string {
	if c.PassageID != "" {
		return c.PassageID
	}
	address, _, _ := strings.Cut(c.URL, "#")
	sum := sha256.Sum256([]byte(address))
	return "p" + base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// TakeOver numbers the sources of what a run has handed back that is of no branch that was read.
func (l *Ledger) TakeOver(runID string, handed []agent.HandedSource) { l.found.takeOver(runID, handed) }

// takeOver numbers the sources of what a run hands back, and returns them.
func (l *list) takeOver(runID string, handed []agent.HandedSource) (of []agent.Citation) {
	for _, s := range handed {
		p := page{URL: s.URL, Name: s.Name}
		if s.URL == "" {
			p.ID, p.DocumentID = s.ID, s.DocumentID
		}
		n, ok := l.numberOf(p)
		if !ok {
			continue
		}
		if l.ids == nil {
			l.ids, l.from = map[string]int{}, map[int][]string{}
		}
		l.ids[idOf(l.all[n-1])] = n
		if len(l.from[n]) < agent.MaxTree {
			l.from[n] = append(l.from[n], runID)
		}
		of = append(of, l.all[n-1])
	}
	return of
}

// numbered is what a run has handed back with the numbers of this branch in the place of ids.
func (l *list) numbered(text string) string {
	return idMark.ReplaceAllStringFunc(text, func(mark string) string {
		if n, ok := l.ids[mark[1:len(mark)-1]]; ok {
			return fmt.Sprintf("[%d]", n)
		}
		return mark
	})
}
