package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"fusebox/agent"
	"fusebox/agent/provider"
)

// Provider is one [[providers]] of the configuration file.
type Provider struct {
	Name      string            `toml:"name"`
	BaseURL   string            `toml:"base_url"`
	KeyEnv    string            `toml:"key_env"`
	KeyHeader string            `toml:"key_header"`
	Headers   map[string]string `toml:"headers"`
	Family    string            `toml:"family"`
	Models    []ProviderModel   `toml:"models"`

	Key string // the value of the environment variable KeyEnv
}

// ProviderModel is one [[providers.models]].
type ProviderModel struct {
	Name            string         `toml:"name"`
	Family          string         `toml:"family"`
	ContextWindow   int64          `toml:"context_window"`
	Price           map[string]any `toml:"price"`
	Vision          bool           `toml:"vision"`
	Thinking        bool           `toml:"thinking"`
	StreamWithTools *bool          `toml:"stream_with_tools"`
	Extra           map[string]any `toml:"extra"`
}

// Model is the model as its endpoint takes it.
func (m ProviderModel) Model() provider.Model {
	return provider.Model{
		Name: m.Name, Family: FamilyOf(m.Family), Window: m.ContextWindow, Vision: m.Vision, Thinking: m.Thinking,
		WholeWithTools: m.StreamWithTools != nil && !*m.StreamWithTools, Extra: m.Extra,
	}
}

// plainFamily names the documented protocol in a configuration.
const plainFamily = "openai"

// FamilyOf is the family that a configuration names.
func FamilyOf(name string) provider.Family {
	if name == plainFamily {
		return provider.Plain
	}
	return provider.Family(name)
}

// providers reads [[providers]] and adds the prices of their models.
func (f fileValues) providers(env map[string]string, prices map[string]agent.Price) ([]Provider, error) {
	if _, some := f.values["providers"]; !some {
		return nil, nil
	}
	f.used["providers"] = true
	var file struct {
		Providers []Provider `toml:"providers"`
	}
	meta, err := toml.Decode(f.text, &file)
	if err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, Errorf("config file %s, line %d: %s", f.path, at.Position.Line, at.Message)
		}
		return nil, Errorf("config file %s, [[providers]]: %v", f.path, err)
	}
	for _, k := range meta.Undecoded() {
		if k[0] == "providers" {
			return nil, Errorf("config file %s: unknown key %s; allowed in [[providers]]: name, base_url, key_env, key_header, headers, family, models; "+
				"in [[providers.models]]: name, family, context_window, price, vision, thinking, stream_with_tools, extra", f.path, k)
		}
	}
	for i := range file.Providers {
		p := &file.Providers[i]
		if problem := p.check(file.Providers[:i], env); problem != "" {
			return nil, Errorf("config file %s, providers[%d]: %s", f.path, i, problem)
		}
		for k, m := range p.Models {
			if problem := m.check(); problem != "" {
				return nil, Errorf("config file %s, providers[%d].models[%d]: %s", f.path, i, k, problem)
			}
			if m.Price == nil {
				continue
			}
			if prices[p.Name+"/"+m.Name], err = f.price(p.Name+"/"+m.Name, m.Price); err != nil {
				return nil, err
			}
		}
	}
	return file.Providers, nil
}

// check says what is wrong with a table, "" for nothing, and takes its key out
// of the environment.
func (p *Provider) check(before []Provider, env map[string]string) string {
	_, isURL := WebURL(p.BaseURL)
	switch {
	case p.Name == "" || strings.ContainsAny(p.Name, "/ ,"):
		return fmt.Sprintf("name = %q is not allowed; allowed: a name without slashes, commas and spaces", p.Name)
	case slices.ContainsFunc(before, func(o Provider) bool { return o.Name == p.Name }):
		return fmt.Sprintf("name = %q is already taken; names must be unique", p.Name)
	case !isURL:
		return "base_url is not an http or https URL, such as https://api.openai.com/v1"
	case !FamilyOf(p.Family).Valid():
		return badFamily(p.Family)
	}
	if p.KeyEnv == "" {
		return ""
	}
	if p.Key = env[p.KeyEnv]; p.Key == "" {
		return fmt.Sprintf("key_env = %q: the environment variable %s is not set", p.KeyEnv, p.KeyEnv)
	}
	return ""
}

func (m ProviderModel) check() string {
	switch {
	case m.Name == "":
		return "name is missing; it is the model's name at the endpoint"
	case !FamilyOf(m.Family).Valid():
		return badFamily(m.Family)
	case m.ContextWindow < 0:
		return fmt.Sprintf("context_window = %d is not allowed; allowed: a number of tokens from 0", m.ContextWindow)
	}
	return ""
}

func badFamily(name string) string {
	allowed := []string{plainFamily}
	for _, f := range provider.Families {
		allowed = append(allowed, string(f))
	}
	return fmt.Sprintf("family = %q is not known; allowed: %s", name, strings.Join(allowed, ", "))
}

// DemoPrice is an invented price, so that the demo model's bill has figures.
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

// OwnModels are the models of the endpoint without a name that are known
// before it is asked: the demo model's, and the default one.
func (c Config) OwnModels() []ProviderModel {
	if len(c.DemoModels) > 0 {
		return c.DemoModels
	}
	if c.DefaultModel == "" || slices.ContainsFunc(c.Providers, func(p Provider) bool { return strings.HasPrefix(c.DefaultModel, p.Name+"/") }) {
		return nil
	}
	return []ProviderModel{{Name: c.DefaultModel}}
}
