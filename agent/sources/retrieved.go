package sources

import (
	"encoding/json"
	"strings"

	"fusebox/agent"
)

// The tools that retrieve what can be cited.
const (
	SearchTool = "web_search"
	FetchTool  = "web_fetch"
)

// maxSources bounds how many sources of one turn get a number.
const maxSources = 300

// maxName bounds the name of a source, in bytes.
const maxName = 200

// page is a result of a search, or a page that was fetched.
type page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
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
	if key, err := dec.Token(); err != nil || key != "results" || !enter(dec, '[') {
		return nil
	}
	var found []page
	for dec.More() {
		var p page
		if dec.Decode(&p) != nil {
			break
		}
		found = append(found, p)
	}
	return found
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

// list is what was retrieved for one request of a person, numbered from 1 in the order of
// the results.
type list struct {
	all   []agent.Citation
	byURL map[string]int
}

// add numbers the pages of a result and returns them. A page that was there before keeps
// its number.
func (l *list) add(tool, result string) []agent.Citation {
	var of []agent.Citation
	for _, p := range retrieved(tool, result) {
		address, _, _ := strings.Cut(p.URL, "#")
		if address == "" {
			continue
		}
		n, known := l.byURL[address]
		switch {
		case known:
		case len(l.all) == maxSources:
			continue
		default:
			if l.byURL == nil {
				l.byURL = map[string]int{}
			}
			n = len(l.all) + 1
			l.byURL[address] = n
			l.all = append(l.all, agent.Citation{N: n, URL: p.URL, Name: nameOf(p)})
		}
		of = append(of, l.all[n-1])
	}
	return of
}

func nameOf(p page) string {
	if title := strings.Join(strings.Fields(p.Title), " "); title != "" {
		return agent.Clip(title, maxName)
	}
	return agent.Clip(p.URL, maxName)
}
