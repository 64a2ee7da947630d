package main

import (
	"testing"

	"fusebox/agent/provider"
)

func TestProvidersConfig(t *testing.T) {
	t.Parallel()
	c, err := load(t, []string{"FAR_KEY=sk-far"}, "-config", writeConfig(t, twoProviders))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Providers) != 2 || c.UsesDemo() || c.Providers[1].Key != "sk-far" || c.Providers[0].Key != "" {
		t.Fatalf("providers %+v, demo %v", c.Providers, c.UsesDemo())
	}
	m := c.Providers[1].Models[0].Model()
	if m.Name != "deep/one" || m.Family != provider.DeepSeek || m.Window != 64_000 || !m.Thinking || !m.WholeWithTools || m.Extra["enable_thinking"] != true {
		t.Errorf("model %+v", m)
	}
	if p := c.Prices["far/deep/one"]; p.Input != 500_000 || p.Cached != 500_000 || p.Output != 2_000_000 {
		t.Errorf("price %+v", p)
	}
}
