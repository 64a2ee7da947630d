package main

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	built := func(v string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: v}} }
	for name, test := range map[string]struct {
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		"set by the linker":       {"1.2.3", built("v1.0.0"), "1.2.3"},
		"of a tag":                {"", built("v1.0.0"), "v1.0.0"},
		"of a commit":             {"", built("v0.0.0-20260102030405-0123456789ab+dirty"), "v0.0.0-20260102030405-0123456789ab+dirty"},
		"without version control": {"", built("(devel)"), "dev"},
		"of a test":               {"", built(""), "dev"},
		"without build info":      {"", nil, "dev"},
	} {
		if got := versionOf(test.linked, test.info); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
