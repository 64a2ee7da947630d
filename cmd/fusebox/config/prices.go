package config

import (
	"fusebox/agent"
)

// DemoPrice makes the demo model's bill show figures; it is no real price.
var DemoPrice = agent.Price{Input: 150_000, Cached: 75_000, Output: 600_000}

// prices reads [prices.MODEL] input, cached, output, reasoning in USD per
// million tokens. Cached defaults to input.
func (f fileValues) prices() (map[string]agent.Price, error) {
	all := map[string]agent.Price{"demo": DemoPrice}
	raw, ok := f.values["prices"]
	if !ok {
		return all, nil
	}
	f.used["prices"] = true
	models, ok := raw.(map[string]any)
	if !ok {
		return nil, Errorf("config file %s, key prices: %v is not allowed; allowed: tables [prices.MODEL]", f.path, raw)
	}
	for model, v := range models {
		fields, ok := v.(map[string]any)
		if !ok {
			return nil, Errorf("config file %s, key prices.%s: %v is not allowed; allowed: input, cached, output, reasoning", f.path, model, v)
		}
		price, err := f.price(model, fields)
		if err != nil {
			return nil, err
		}
		all[model] = price
	}
	return all, nil
}

func (f fileValues) price(model string, fields map[string]any) (agent.Price, error) {
	var p agent.Price
	into := map[string]*int64{"input": &p.Input, "cached": &p.Cached, "output": &p.Output, "reasoning": &p.Reasoning}
	for name, v := range fields {
		target, known := into[name]
		micros, ok := agent.ParsePrice(dump(v), 1_000_000)
		if !known || !ok {
			return p, Errorf("config file %s, key prices.%s.%s: %v is not allowed; allowed: input, cached, output, reasoning in USD per million tokens, from 0 to 10000", f.path, model, name, v)
		}
		*target = micros
	}
	if _, given := fields["cached"]; !given {
		p.Cached = p.Input
	}
	return p, nil
}
