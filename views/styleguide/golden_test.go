package styleguide

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden compares every part with its HTML; run with -update to write it anew.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, c := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := c.Render(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(got.Bytes(), []byte("<script")) || bytes.Contains(got.Bytes(), []byte(" style=")) {
				t.Errorf("script or inline style in %s", got.String())
			}
			file := filepath.Join("testdata", name+".golden.html")
			html := bytes.ReplaceAll(got.Bytes(), []byte("><"), []byte(">\n<"))
			if *update {
				if err := os.WriteFile(file, html, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(html)); diff != "" {
				t.Errorf("-golden +got:\n%s", diff)
			}
		})
	}
}
