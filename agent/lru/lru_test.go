package lru_test

import (
	"testing"

	"fusebox/agent/lru"
)

func TestCacheForgetsWhatWasNotUsedForLongest(t *testing.T) {
	t.Parallel()
	c := lru.New[string](10)
	c.Put("a", "A", 4)
	c.Put("b", "B", 4)
	if got := c.Get("a"); got != "A" {
		t.Errorf("a is %q", got)
	}
	c.Put("c", "C", 4)
	if got := c.Get("a") + c.Get("b") + c.Get("c"); got != "AC" {
		t.Errorf("%q is kept, want AC", got)
	}
	c.Put("a", "A2", 10)
	if got := c.Get("a") + c.Get("c"); got != "A2" {
		t.Errorf("%q is kept, want A2 in the place of all", got)
	}
	c.Put("d", "D", 11)
	if got := c.Get("a") + c.Get("d"); got != "A2" {
		t.Errorf("%q is kept, want what fits", got)
	}
	if got := c.Take("a") + c.Take("a"); got != "A2" {
		t.Errorf("taking twice gave %q", got)
	}
	c.Put("b", "B", 10)
	if got := c.Get("b"); got != "B" {
		t.Errorf("there was no room for b after a was taken: %q", got)
	}
}
