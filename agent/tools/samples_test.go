package tools

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestStationsThatSayToTryAgain: that is a result and no failure, so that a model
// which keeps asking is found by what it repeats.
func TestStationsThatSayToTryAgain(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	ask := func(station string) string {
		res := run(t.Context(), r, "get_weather", map[string]any{"city": station})
		if res.ErrorType != "" {
			t.Fatalf("%s: %+v", station, res)
		}
		return res.Content
	}
	for range 2 * buoyAsked {
		if got := ask("Hong Kong Observatory"); !strings.Contains(got, "Try again") {
			t.Fatal(got)
		}
	}
	for _, buoy := range []string{"Weather buoy 1", "Weather buoy 2"} {
		for range buoyAsked - 1 {
			if got := ask(buoy); !strings.Contains(got, "Try again") || strings.Contains(got, "temperatureC") {
				t.Fatal(got)
			}
		}
		if got := ask(buoy); !strings.Contains(got, `"temperatureC":17.5`) || !strings.Contains(got, `"city":"`+buoy) {
			t.Error(got)
		}
	}
}

// TestSamplesAreInNewWorkspaces: and what was made of them stays.
func TestSamplesAreInNewWorkspaces(t *testing.T) {
	t.Parallel()
	spaces := workspaces{dir: t.TempDir(), samples: fstest.MapFS{"a.txt": {Data: []byte("a")}, "sub/b.txt": {Data: []byte("b")}}}
	for _, want := range []string{"a", "changed", "changed"} {
		root, _, err := spaces.reach("c1", ".")
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{"a.txt": want, "sub/b.txt": "b"} {
			if got, err := root.ReadFile(name); err != nil || string(got) != content {
				t.Errorf("%s: %q %v, want %q", name, got, err, content)
			}
		}
		if err := root.WriteFile("a.txt", []byte("changed"), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = root.Close()
	}
}
