package present

// Window returns the newest items before a seq (0 takes all) with at most
// limit messages, and the seq that the items before them end at, 0 where there
// are none.
func (p *Presenter) Window(before int64, limit int) (items []item, earlier int64) {
	to := len(p.items)
	for before > 0 && to > 0 && p.items[to-1].seq >= before {
		to--
	}
	from, messages := to, 0
	for from > 0 {
		if p.items[from-1].message {
			if messages == limit {
				return p.items[from:to], p.items[from].seq
			}
			messages++
		}
		from--
	}
	return p.items[:to], 0
}
