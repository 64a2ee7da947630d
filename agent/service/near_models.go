package service

import (
	"cmp"
	"slices"
	"strings"

	"fusebox/agent"
)

// nearModels is how many models an error names at most.
const nearModels = 5

// nearText names the models that come nearest to a name that is unknown.
func nearText(id string, names []string) string {
	lead := "allowed: "
	if len(names) > nearModels {
		lead = "similar names: "
	}
	near := nearest(id, names)
	for i := range near {
		near[i] = agent.Clip(near[i], 100)
	}
	return lead + strings.Join(near, ", ")
}

// nearest are the names that have most pairs of letters in common with a name.
func nearest(id string, names []string) []string {
	wanted := pairs(id)
	type scored struct {
		name  string
		score float64
	}
	all := make([]scored, len(names))
	for i, name := range names {
		all[i] = scored{name, likeness(wanted, pairs(name))}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var near []string
	for _, s := range all[:min(len(all), nearModels)] {
		near = append(near, s.name)
	}
	return near
}

// comparedBytes bounds how much of a name is compared.
const comparedBytes = 100

func pairs(name string) map[string]bool {
	name = strings.ToLower(name[:min(len(name), comparedBytes)])
	all := make(map[string]bool, len(name))
	for i := range len(name) - 1 {
		all[name[i:i+2]] = true
	}
	return all
}

// likeness is the share of pairs that both have, 0 to 1.
func likeness(a, b map[string]bool) float64 {
	common := 0
	for p := range a {
		if b[p] {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}
