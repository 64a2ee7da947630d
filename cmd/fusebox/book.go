package main

import (
	"fusebox/agent"
	"fusebox/agent/prices"
	"fusebox/store"
)

// newBook makes the book of prices: admins' rows out of the database, then the
// configuration's, then those that are part of the program.
func newBook(c Config, db *store.Store) *prices.Book {
	o := prices.Options{Read: db.Prices}
	for _, p := range c.providers {
		o.Endpoints = append(o.Endpoints, p.Name)
	}
	for model, price := range c.prices {
		source := "configuration"
		if price == demoPrice {
			source = "demo, no real price"
		}
		o.Config = append(o.Config, agent.PriceRow{Model: model, Known: true, Price: price, Source: source})
	}
	return prices.New(o)
}
