package main

import (
	"slices"
	"strings"
)

// ownModels are the models of the endpoint without a name that are known
// before it is asked: the demo model's, and the default one.
func (c Config) ownModels() []modelTable {
	if len(c.demoModels) > 0 {
		return c.demoModels
	}
	if c.model == "" || slices.ContainsFunc(c.providers, func(p providerTable) bool { return strings.HasPrefix(c.model, p.Name+"/") }) {
		return nil
	}
	return []modelTable{{Name: c.model}}
}
