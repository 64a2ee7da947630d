package main

import (
	"fusebox/agent"
	"fusebox/agent/prices"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// newBook makes the book of prices: admins' rows out of the database, then the
// configuration's, then those that are part of the program.
func newBook(c config.Config, db *store.Store, endpoints func() []string) *prices.Book {
	o := prices.Options{Read: db.Prices, Endpoints: endpoints}
	for model, price := range c.Prices {
		source := "configuration"
		if price == config.DemoPrice {
			source = prices.DemoSource
		}
		o.Config = append(o.Config, agent.PriceRow{Model: model, Known: true, Price: price, Source: source})
	}
	return prices.New(o)
}
