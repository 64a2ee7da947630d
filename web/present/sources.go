package present

import (
	"fusebox/agent/sources"
	"fusebox/views/part"
	"fusebox/web/present/markdown"
)

// sources are what the final message may lead to.
func (a *answer) sources() markdown.Sources {
	return markdown.Sources{Anchor: a.id, Citations: a.final.Citations, Unknown: a.final.UnknownCitations, Hosts: a.final.LinkHosts}
}

// cites is the list of what the message cites.
func (a *answer) cites() part.Sources {
	s := part.Sources{ID: a.id + "-s"}
	if a.final == nil {
		return s
	}
	for _, c := range a.final.Citations {
		item := part.Source{ID: markdown.SourceID(a.id, c.N), N: c.N, Name: c.Name}
		if host := sources.HostOf(c.URL); host != "" {
			item.Href, item.Host = c.URL, host
		}
		s.Items = append(s.Items, item)
	}
	return s
}
