package present

// Window returns the newest items before a seq (0 takes all) with at most
// limit messages, and the seq that the items before them end at, 0 where there
// are none.
func (p *Presenter) Window(before int64, limit int) (items []item, earlier int64) {
	items = p.between(p.from, before)
	from, messages := len(items), 0
	for from > 0 {
		if items[from-1].message {
			if messages == limit {
				return items[from:], items[from].seq
			}
			messages++
		}
		from--
	}
	if len(items) > 0 && p.from > 1 {
		earlier = items[0].seq
	}
	return items, earlier
}

// between are the items from one seq on to before another, 0 for all.
func (p *Presenter) between(from, before int64) []item {
	first, last := 0, len(p.items)
	for before > 0 && last > 0 && p.items[last-1].seq >= before {
		last--
	}
	for first < last && p.items[first].seq < from {
		first++
	}
	return p.items[first:last]
}
