package wire

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxCost bounds what a call may be said to cost, in micro-USD: no call costs as much.
const maxCost = 1_000 * 1_000_000

// money is an amount in micro-USD that endpoints tell in USD; nonsense, and what costs
// less than one, is none.
type money int64

// UnmarshalJSON never fails. It also takes "0.01", and an object with a total.
func (m *money) UnmarshalJSON(raw []byte) error {
	if strings.HasPrefix(string(raw), "{") {
		var parts struct {
			Total money `json:"total_cost"`
		}
		_ = json.Unmarshal(raw, &parts) // what does not fit is none
		*m = parts.Total
		return nil
	}
	f, _ := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64) // 0 or infinite on error
	if micros := math.Round(f * 1_000_000); micros > 0 && micros <= maxCost {
		*m = money(micros)
	}
	return nil
}

// costs are how an endpoint tells what a call costs.
type costs struct {
	Cost      money `json:"cost"`
	Total     money `json:"total_cost"`
	Estimated money `json:"estimated_cost"`
	// OwnKey says that the model's own vendor is paid as well.
	OwnKey  bool `json:"is_byok"`
	Details struct {
		Upstream money `json:"upstream_inference_cost"`
		Total    money `json:"total_cost"`
	} `json:"cost_details"`
}

// micros is all that the call costs, 0 where nothing is told.
func (c costs) micros() int64 {
	told := cmp.Or(c.Cost, c.Total, c.Estimated, c.Details.Total)
	if c.OwnKey || told == 0 {
		told += c.Details.Upstream
	}
	return int64(told)
}
