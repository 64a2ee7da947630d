package main

import (
	"fusebox/agent/provider"
	"testing"
)

func TestProvidersConfig(t *testing.T) {
	t.Parallel()
	c, err := load(t, []string{"FAR_KEY=sk-far"}, "-config", writeConfig(t, twoProviders))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.providers) != 2 || c.usesDemo() || c.providers[1].key != "sk-far" || c.providers[0].key != "" {
		t.Fatalf("providers %+v, demo %v", c.providers, c.usesDemo())
	}
	m := c.providers[1].Models[0].model()
	if m.Name != "deep/one" || m.Family != provider.DeepSeek || m.Window != 64_000 || !m.Thinking || !m.WholeWithTools || m.Extra["enable_thinking"] != true {
		t.Errorf("model %+v", m)
	}
	if p := c.prices["far/deep/one"]; p.Input != 500_000 || p.Cached != 500_000 || p.Output != 2_000_000 {
		t.Errorf("price %+v", p)
	}
}
