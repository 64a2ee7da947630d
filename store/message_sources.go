package store

import "fusebox/agent"

// messageSources is what a message cites and links to, as it is stored.
type messageSources struct {
	Citations []agent.Citation `json:"citations,omitempty"`
	Unknown   []string         `json:"unknown,omitempty"`
	Hosts     []string         `json:"hosts,omitempty"`
}

// sourcesOf encodes a message's sources for storage, "" for none.
func sourcesOf(m agent.Message) (string, error) {
	if len(m.Citations)+len(m.UnknownCitations)+len(m.LinkHosts) == 0 {
		return "", nil
	}
	return toJSON(messageSources{m.Citations, m.UnknownCitations, m.LinkHosts})
}

func readSources(text string, m *agent.Message) error {
	if text == "" {
		return nil
	}
	var s messageSources
	err := fromJSON(text, &s)
	m.Citations, m.UnknownCitations, m.LinkHosts = s.Citations, s.Unknown, s.Hosts
	return err
}
