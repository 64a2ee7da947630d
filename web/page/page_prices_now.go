package page

import (
	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/present"
)

// presentPrice is what a model costs now, in words.
func presentPrice(book service.PriceBook, clock agent.Clock, id string) page.PriceRow {
	row, known := book.Find(id, clock.Now())
	row.Known = known
	return present.PricePart(row)
}
