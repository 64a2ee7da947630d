package sources

import (
	"cmp"
	"encoding/json"
	"strings"

	"fusebox/agent"
)

// maxSources bounds how many sources of a branch get a number.
const maxSources = 999

// maxName bounds the name of a source, in bytes.
const maxName = 200

// page is a result of a search, a page that was fetched, or a passage of a document.
type page struct {
	Title string `json:"title"`
	URL   string `json:"url"`

	ID         string `json:"id"`
	DocumentID string `json:"documentId"`
	Name       string `json:"name"`
	Place      string `json:"place"`
}

// citation is the page as it is cited, without its number; false where nothing leads to it.
func (p page) citation() (c agent.Citation, key string, ok bool) {
	c = agent.Citation{URL: p.URL, PassageID: p.ID, DocumentID: p.DocumentID, Name: Name(cmp.Or(p.Title, p.Name, p.URL), p.Place)}
	key, _, _ = strings.Cut(cmp.Or(p.URL, p.ID), "#")
	return c, key, key != ""
}

// Name is how a source is named: a document with the place in it, if there is one.
func Name(name, place string) string {
	if place != "" {
		name += ", " + place
	}
	return agent.Clip(strings.Join(strings.Fields(name), " "), maxName)
}

// retrieved are the pages that a result lists. Long results are cut in the middle:
// what comes before the cut is read.
func retrieved(tool, result string) []page {
	dec := json.NewDecoder(strings.NewReader(result))
	if !enter(dec, '{') {
		return nil
	}
	if tool == FetchTool {
		return fetched(dec)
	}
	if key, err := dec.Token(); err != nil || key != listOf[tool] || !enter(dec, '[') {
		return nil
	}
	var found []page
	for dec.More() {
		var p page
		if dec.Decode(&p) != nil {
			break
		}
		if tool == SearchTool {
			p = page{Title: p.Title, URL: p.URL}
		} else {
			p = page{ID: p.ID, DocumentID: p.DocumentID, Name: p.Name, Place: p.Place}
		}
		found = append(found, p)
	}
	return found
}

// listOf is the field with what a tool has found.
var listOf = map[string]string{SearchTool: "results", KnowledgeTool: "passages", ReadTool: "passages"}

// nothing is how the result of a search begins that has found nothing.
var nothing = map[string]string{SearchTool: `{"results":[]`, KnowledgeTool: `{"passages":[]`, ListTool: `{"documents":[]`}

// handedBack is what a result of a run of the tree says of it before the text. The result may be that of a failed call, or be cut: what comes
// before the cut is read.
func handedBack(result string) (r agent.DelegateResult) {
	dec := json.NewDecoder(strings.NewReader(result[max(strings.IndexByte(result, '{'), 0):]))
	if !enter(dec, '{') {
		return r
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var into any = new(json.RawMessage)
		switch key {
		case "runId":
			into = &r.RunID
		case "agent":
			into = &r.Agent
		case "workflow":
			into = &r.Workflow
		case "untrusted":
			into = &r.Untrusted
		case "sources":
			into = &r.Sources
		}
		if dec.Decode(into) != nil {
			break
		}
	}
	return r
}

// fetched reads the fields before the text.
func fetched(dec *json.Decoder) []page {
	var p page
	for p.URL == "" && dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		value, err := dec.Token()
		text, ok := value.(string)
		if err != nil || !ok {
			return nil
		}
		switch key {
		case "title":
			p.Title = text
		case "url":
			p.URL = text
		}
	}
	return []page{p}
}

func enter(dec *json.Decoder, delim json.Delim) bool {
	t, err := dec.Token()
	return err == nil && t == delim
}

// list is what was retrieved on a branch, numbered from 1 in the order of the results.
type list struct {
	all    []agent.Citation
	number map[string]int // by address, or by passage
	// read are the results that have the text of a source, by its number.
	read map[int][]string
	// ids and from are of sources that other runs have handed over: the numbers by ids, and the runs by numbers.
	ids  map[string]int
	from map[int][]string
}

// add numbers the pages of a result and returns them. A page that was there before keeps
// its number.
func (l *list) add(tool, result string) []agent.Citation {
	var of []agent.Citation
	for _, p := range retrieved(tool, result) {
		n, ok := l.numberOf(p)
		if !ok {
			continue
		}
		of = append(of, l.all[n-1])
		if (tool == FetchTool || tool == ReadTool) && len(l.read[n]) <= maxReads || tool == KnowledgeTool && l.read[n] == nil {
			if l.read == nil {
				l.read = map[int][]string{}
			}
			l.read[n] = append(l.read[n], result)
		}
	}
	return of
}

// numberOf is the number of a page, a new one if it was not there before; false where it
// gets none.
func (l *list) numberOf(p page) (n int, ok bool) {
	c, key, ok := p.citation()
	n, known := l.number[key]
	if known || !ok || len(l.all) == maxSources {
		return n, known
	}
	if l.number == nil {
		l.number = map[string]int{}
	}
	n = len(l.all) + 1
	l.number[key], c.N = n, n
	l.all = append(l.all, c)
	return n, true
}

// maxReads is how many times a page is read whose text is known then.
const maxReads = 8

// get finds the source that another list has, too.
func (l *list) get(c agent.Citation) (agent.Citation, bool) {
	_, key, _ := page{ID: c.PassageID, URL: c.URL}.citation()
	if n, ok := l.number[key]; ok {
		return l.all[n-1], true
	}
	return agent.Citation{}, false
}

// textsOf are the texts of a source as the model has read them: a page may have changed. whole is
// false where not all of a text was read.
func (l *list) textsOf(c agent.Citation) (texts []string, whole bool) {
	if len(l.read[c.N]) > maxReads {
		return nil, false
	}
	for _, result := range l.read[c.N] {
		var said struct {
			Text     string
			Passages []struct{ ID, Text string }
		}
		if json.Unmarshal([]byte(result), &said) != nil {
			return nil, false // the result was cut
		}
		if c.PassageID == "" {
			texts = append(texts, said.Text)
		}
		for _, p := range said.Passages {
			if p.ID == c.PassageID {
				texts = append(texts, cmp.Or(p.Text, said.Text)) // of a document that was read there is one text
			}
		}
	}
	return texts, true
}
