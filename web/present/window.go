package present

// Window returns the newest items before a seq (0 takes all) with about limit messages,
// whole turns of them, and the seq that the items before them end at, 0 where there
// are none.
func (p *Presenter) Window(before int64, limit int) (items []item, earlier int64) {
	items = between(p.items, p.from, before)
	first := beginning(items, limit)
	if first > 0 || len(items) > 0 && p.from > 1 {
		earlier = items[first].seq
	}
	return items[first:], earlier
}

// beginning is where a page of so many messages begins: at the message of a person that
// opens its oldest turn, unless that makes the page twice as long.
func beginning(items []item, limit int) int {
	messages, full := 0, 0
	for i := len(items) - 1; i >= 0; i-- {
		if !items[i].message {
			continue
		}
		if messages++; messages == limit {
			full = i
		}
		switch {
		case messages >= limit && items[i].opens:
			return i
		case messages >= 2*limit:
			return full
		}
	}
	return 0
}

// between are the items from one seq on to before another, 0 for all.
func between(items []item, from, before int64) []item {
	first, last := 0, len(items)
	for before > 0 && last > 0 && items[last-1].seq >= before {
		last--
	}
	for first < last && items[first].seq < from {
		first++
	}
	return items[first:last]
}
