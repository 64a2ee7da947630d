package prices

import (
	"slices"
	"time"

	"fusebox/agent"
)

// Plan checks a list against what is known at an instant. Rows that would change
// nothing are left out. With offered only models that one of these names means
// are taken; nil takes all.
func (b *Book) Plan(list agent.PriceList, offered []string, at time.Time) agent.PricePlan {
	plan := agent.PricePlan{Skipped: slices.Clone(list.Skipped)}
	wanted := b.wanted(offered)
	for _, row := range list.Rows {
		if offered != nil && !wanted[name{row.Provider, row.Model}] {
			plan.Skipped = append(plan.Skipped, agent.PriceSkip{Model: row.Name(), Why: "is not available here"})
			continue
		}
		before, known := b.Find(row.Name(), at)
		before.Known = known
		switch {
		case !known:
			plan.New = append(plan.New, agent.PriceChange{Before: before, After: row})
		case before.Price != row.Price:
			plan.Changed = append(plan.Changed, agent.PriceChange{Before: before, After: row})
		default:
			plan.Same++
		}
	}
	return plan
}

// wanted are the names under which a row would apply to one of these models.
func (b *Book) wanted(offered []string) map[name]bool {
	all := map[name]bool{}
	for _, id := range offered {
		for _, n := range namesOf(b.Split(id)) {
			all[n] = true
		}
	}
	return all
}
