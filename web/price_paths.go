package web

// Where lists of prices are taken; more may be sent there than elsewhere.
const (
	priceListPage = "/admin/models/import"
	priceListCall = "/api/v1/prices/import"
)

// listSource is what is noted of a list that nobody says the source of.
const listSource = "model_prices_and_context_window.json"
