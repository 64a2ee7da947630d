package toolname

import (
	"regexp"
	"strings"
	"testing"
)

// TestNames: no two tools have one name, and endpoints take all of them.
func TestNames(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^files__[a-zA-Z0-9_-]+$`)
	for _, tool := range []string{"a.b", "a/b", "工具", "a b", strings.Repeat("x", 80)} {
		if got := Of("files", tool); len(got) > maxName || !allowed.MatchString(got) {
			t.Errorf("%q becomes %q", tool, got)
		}
	}
	if got := Of("files", "get-env_2"); got != "files__get-env_2" {
		t.Errorf("a plain name becomes %q", got)
	}
	if Of("s", "a.b") == Of("s", "a/b") || Of("s", "a.b") == Of("s", "a_b") {
		t.Error("two tools have one name")
	}
}
