package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWithoutCarvesOut: a data folder below a folder of the system is left out, and its
// neighbours stay.
func TestWithoutCarvesOut(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(names ...string) string { return filepath.Join(append([]string{top}, names...)...) }
	for _, dir := range []string{at("usr", "bin"), at("usr", "local", "fusebox", "data"), at("usr", "local", "lib"), at("etc")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("usr", "bin"), at("bin")); err != nil {
		t.Fatal(err)
	}
	paths := []string{at("bin"), at("usr"), at("etc")}
	for _, tc := range []struct {
		hidden string
		want   []string
	}{
		{at("srv"), paths},
		{at("usr", "local", "fusebox", "data"), []string{at("bin"), at("usr", "bin"), at("usr", "local", "lib"), at("etc")}},
		{at("usr"), []string{at("etc")}},
		{at("usr", "bin"), []string{at("usr", "local"), at("etc")}},
		{top, nil},
	} {
		if diff := cmp.Diff(tc.want, without(paths, tc.hidden)); diff != "" {
			t.Errorf("without %s: %s", tc.hidden, diff)
		}
	}
}
