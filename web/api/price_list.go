package api

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// priceView is a row of prices, in micro-USD per million tokens.
type priceView struct {
	Provider  string  `json:"provider"` // "" for any endpoint
	Model     string  `json:"model"`
	ValidFrom *string `json:"validFrom"`
	Known     bool    `json:"known"`
	agent.Price
	Source    string  `json:"source"`
	CreatedBy string  `json:"createdBy,omitempty"`
	CreatedAt *string `json:"createdAt,omitempty"`
}

func viewPrice(r agent.PriceRow) priceView {
	return priceView{
		Provider: r.Provider, Model: r.Model, ValidFrom: request.RFC3339(r.ValidFrom), Known: r.Known, Price: r.Price,
		Source: r.Source, CreatedBy: r.CreatedBy, CreatedAt: request.RFC3339(r.CreatedAt),
	}
}

// defaultPrices is how many rows a page of the list has.
const defaultPrices = 100

// List is GET /api/v1/prices: the rows of admins, by endpoint, model and
// day. ?model= takes those of one model.
func (s *Prices) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Prices(c.Request().Context())
	if err != nil {
		return err
	}
	if model := c.QueryParam("model"); model != "" {
		rows = slices.DeleteFunc(rows, func(r agent.PriceRow) bool { return r.Name() != model && r.Model != model })
	}
	if rows, err = afterPrice(rows, p.Cursor); err != nil {
		return err
	}
	out := request.Listing[priceView]{Items: []priceView{}}
	limit := cmp.Or(p.Limit, defaultPrices)
	if len(rows) > limit {
		rows = rows[:limit]
		out.NextCursor = priceCursor(rows[limit-1])
	}
	for _, r := range rows {
		out.Items = append(out.Items, viewPrice(r))
	}
	return c.JSON(http.StatusOK, out)
}

// priceKey is where a row stands in the list.
type priceKey struct {
	Provider, Model string
	From            int64
}

func keyOf(r agent.PriceRow) priceKey { return priceKey{r.Provider, r.Model, r.ValidFrom.UnixMilli()} }

func (k priceKey) compare(o priceKey) int {
	return cmp.Or(cmp.Compare(k.Provider, o.Provider), cmp.Compare(k.Model, o.Model), cmp.Compare(k.From, o.From))
}

func priceCursor(r agent.PriceRow) string {
	text, _ := json.Marshal(keyOf(r)) // strings and a number always encode
	return base64.RawURLEncoding.EncodeToString(text)
}

// afterPrice leaves the rows behind a cursor.
func afterPrice(rows []agent.PriceRow, cursor string) ([]agent.PriceRow, error) {
	if cursor == "" {
		return rows, nil
	}
	var last priceKey
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, &last) != nil {
		return nil, agent.InvalidField("cursor", "is none that was handed out")
	}
	return slices.DeleteFunc(rows, func(r agent.PriceRow) bool { return keyOf(r).compare(last) <= 0 }), nil
}
