package service

import (
	"testing"
	"time"

	"fusebox/agent"
)

// epoch is a clock that stands.
type epoch struct{ agent.Clock }

func (epoch) Now() time.Time { return time.Unix(0, 0) }

// listed are models of an endpoint, in its order.
type listed []agent.ModelInfo

func (l listed) Models() []agent.ModelInfo { return l }

// priced are prices of input and output together.
type priced struct {
	PriceBook
	of map[string]int64
}

func (p priced) Find(model string, _ time.Time) (agent.PriceRow, bool) {
	price, known := p.of[model]
	return agent.PriceRow{Model: model, Known: known, Price: agent.Price{Input: price}}, known
}

// TestCheapest: a program that names no model never gets the dearest.
func TestCheapest(t *testing.T) {
	t.Parallel()
	chats := func(ids ...string) (l listed) {
		for _, id := range ids {
			l = append(l, agent.ModelInfo{ID: id})
		}
		return l
	}
	for name, tc := range map[string]struct {
		models listed
		prices map[string]int64
		want   string
	}{
		"by price":          {chats("big", "middle", "small"), map[string]int64{"big": 30, "small": 1, "middle": 3}, "small"},
		"some prices":       {chats("new", "big", "small"), map[string]int64{"big": 30, "small": 1}, "small"},
		"free":              {chats("big", "free"), map[string]int64{"big": 30, "free": 0}, "free"},
		"no price":          {chats("one", "two"), nil, "one"},
		"what cannot chat":  {append(listed{{ID: "embed", NoChat: true}}, chats("one")...), map[string]int64{"embed": 1}, "one"},
		"nothing is listed": {nil, nil, ""},
	} {
		m := Models{Source: tc.models, Prices: priced{of: tc.prices}, Clock: epoch{}}
		if got := m.Cheapest(); got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
