package sources

import (
	"cmp"
	"slices"

	"fusebox/agent"
)

// maxUnknown bounds how many unknown citations are kept of an answer.
const maxUnknown = 100

// cited finds the sources that the marks of a text stand for, and the citations that match no source.
func cited(marks []citing, all []agent.Citation) (known []agent.Citation, unknown []string) {
	if len(marks) == 0 {
		return nil, nil
	}
	index := map[string]int{}
	for i, c := range all {
		for _, key := range Keys(c) {
			index[key] = i
		}
	}
	taken := make([]bool, len(all))
	for _, m := range marks {
		for _, key := range m.keys {
			i, ok := index[key]
			switch {
			case ok && !taken[i]:
				taken[i] = true
				known = append(known, all[i])
			case !ok && len(unknown) < maxUnknown && !slices.Contains(unknown, key):
				unknown = append(unknown, key)
			}
		}
	}
	slices.SortFunc(known, func(a, b agent.Citation) int { return cmp.Compare(a.N, b.N) })
	return known, unknown
}
