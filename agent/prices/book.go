package prices

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fusebox/agent"
)

// Book answers what a model costs at an instant. It is asked for each model
// call, so all of it is in memory; Load brings in what admins have changed.
type Book struct {
	endpoints func() []string
	config    index
	shipped   index
	read      func(context.Context) ([]agent.PriceRow, error)
	admins    atomic.Pointer[index]
	// loading keeps a slow Load from putting older rows in the place of newer ones.
	loading sync.Mutex
}

// DemoSource is the source of the demo model's price.
const DemoSource = "demo, no real price"

// Options are what a Book is made of.
type Options struct {
	// Endpoints are the names before the slash in far/deepseek-chat, which may change; nil is none.
	Endpoints func() []string
	// Config are the prices of the configuration. Model is written as people
	// write it there, with an endpoint's name or without.
	Config []agent.PriceRow
	// Read returns the rows of admins.
	Read func(context.Context) ([]agent.PriceRow, error)
}

// New makes a Book that knows no rows of admins before its first Load.
func New(o Options) *Book {
	b := &Book{endpoints: o.Endpoints, read: o.Read, config: newIndex(nil), shipped: newIndex(Shipped())}
	for _, r := range o.Config {
		r.Provider, r.Model = b.Split(r.Model)
		b.config.add(r)
	}
	b.config.sort()
	none := newIndex(nil)
	b.admins.Store(&none)
	return b
}

// Load reads the rows of admins again.
func (b *Book) Load(ctx context.Context) error {
	b.loading.Lock()
	defer b.loading.Unlock()
	rows, err := b.read(ctx)
	if err != nil {
		return fmt.Errorf("read prices: %w", err)
	}
	next := newIndex(rows)
	b.admins.Store(&next)
	return nil
}

// Price is what a model costs at an instant, false if unknown.
func (b *Book) Price(id string, at time.Time) (agent.Price, bool) {
	r, known := b.Find(id, at)
	return r.Price, known
}

// Find returns the row in effect for a model at an instant, false if there
// is none, or if it says that the price is not known. Its
// Model is the name by which it was found.
//
// The first of these that has a row decides: admins' rows for this endpoint,
// admins' rows for any, the configuration, the shipped table. Within each the
// newest row in effect is used. Names are compared as a whole; of
// names with a vendor before a slash the rest is tried too (see vendors).
func (b *Book) Find(id string, at time.Time) (agent.PriceRow, bool) {
	provider, model := b.Split(id)
	for _, source := range []index{*b.admins.Load(), b.config, b.shipped} {
		if r, found := source.find(provider, model, at); found {
			return r, r.Known
		}
	}
	// An endpoint may have come after the configuration was read.
	r, found := b.config.find("", id, at)
	return r, found && r.Known
}

// Split parts a model as people name it into endpoint and name; the endpoint is
// "" for the one without a name.
func (b *Book) Split(id string) (provider, model string) {
	if before, after, slash := strings.Cut(id, "/"); slash && b.endpoints != nil && slices.Contains(b.endpoints(), before) {
		return before, after
	}
	return "", id
}

// vendors are prefixes that gateways put before a model's own name, where the
// gateway charges what the vendor does. Vendors of open weights are not among
// them: each host has a price of its own for those.
var vendors = []string{"openai", "anthropic", "google", "models", "mistralai", "x-ai"}

// bare is a model's name without a vendor's prefix, "" where it has none.
func bare(model string) string {
	before, after, slash := strings.Cut(model, "/")
	if !slash || strings.Contains(after, "/") || !slices.Contains(vendors, before) {
		return ""
	}
	return after
}

// name is one model at one endpoint, "" for any.
type name struct{ provider, model string }

// namesOf are the names under which a model may have a price, the closest first.
func namesOf(provider, model string) []name {
	names := []name{{provider, model}, {"", model}}
	if own := bare(model); own != "" {
		names = append(names, name{"", own})
	}
	return names
}

// index has the rows of one source, by name, newest first.
type index map[name][]agent.PriceRow

func newIndex(rows []agent.PriceRow) index {
	x := index{}
	for _, r := range rows {
		x.add(r)
	}
	x.sort()
	return x
}

func (x index) add(r agent.PriceRow) {
	n := name{r.Provider, r.Model}
	x[n] = append(x[n], r)
}

func (x index) sort() {
	for _, rows := range x {
		slices.SortStableFunc(rows, func(a, b agent.PriceRow) int { return b.ValidFrom.Compare(a.ValidFrom) })
	}
}

// find tries the endpoint's own rows, then those of any, the whole name before
// the bare one.
func (x index) find(provider, model string, at time.Time) (agent.PriceRow, bool) {
	for _, n := range namesOf(provider, model) {
		for _, r := range x[n] {
			if !r.ValidFrom.After(at) {
				return r, true
			}
		}
	}
	return agent.PriceRow{}, false
}
