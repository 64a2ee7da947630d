package request

// Where lists of prices are taken; more may be sent there than elsewhere.
const (
	PriceListPage = "/admin/models/import"
	PriceListCall = "/api/v1/prices/import"
)

// PriceListSource is what is noted of a list that nobody says the source of.
const PriceListSource = "model_prices_and_context_window.json"
