package present

import "github.com/a-h/templ"

// transcript lists messages, cards, and lines in the order of the page. An open page is sent
// each that is added.
type transcript struct {
	outgoing
	into   string // its element
	items  []item
	from   int64 // where the part of the log begins that it was made of
	covers bool  // what is folded is not of the page
	// Branch is the branch that is shown, nil for all that is said.
	Branch *branch
}

type item struct {
	id      string
	seq     int64
	message bool // counts as a message for paging
	answer  *answer
	opens   bool // is a person's, which a turn begins with
	View    func() templ.Component
}

func (t *transcript) add(it item) {
	if t.covers {
		return
	}
	t.items = append(t.items, it)
	if t.live {
		t.append(t.into, it.View())
	}
}

func (t *transcript) views() []templ.Component {
	views := make([]templ.Component, len(t.items))
	for i, it := range t.items {
		views[i] = it.View()
	}
	return views
}

// Window returns the newest items before a seq (0 takes all) with about limit messages,
// whole turns of them, and the seq that the items before them end at, 0 where there
// are none.
func (t *transcript) Window(before int64, limit int) (items []item, earlier int64) {
	first, last := 0, len(t.items)
	for before > 0 && last > 0 && t.items[last-1].seq >= before {
		last--
	}
	for first < last && t.items[first].seq < t.from {
		first++
	}
	items = t.items[first:last]
	first = beginning(items, limit)
	if first > 0 || len(items) > 0 && t.from > 1 {
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
