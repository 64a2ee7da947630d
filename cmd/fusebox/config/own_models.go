package config

import (
	"slices"
	"strings"
)

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
