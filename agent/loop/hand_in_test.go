package loop

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHandedIn(t *testing.T) {
	t.Parallel()
	declared := map[string]string{"files": "array", "tests": "string", "left": "integer"}
	long := strings.Repeat("x", 1<<20)
	for name, tc := range map[string]struct{ answer, want string }{
		"bare":                         {`{"files":["a","b"],"tests":"not run"}`, `{"files":["a","b"],"tests":"not run"}`},
		"in a fence":                   {"Here it is:\n```json\n{\n  \"files\": [],\n  \"left\": 4\n}\n```\nThe rest is open.", `{"files":[],"left":4}`},
		"within text":                  {`I have {"tests": "all {} of \"them\" pass"}, no more.`, `{"tests":"all {} of \"them\" pass"}`},
		"behind code and other braces": {"func f() { return }\n{{x}} {\"a\": } {} {\"other\":1}\n{\"left\":2}", `{"left":2}`},
		"within another object":        {`{"outputs":{"left":2}}`, `{"left":2}`},
		"the first that has a name":    {`{"left":1} {"left":2,"tests":"x"}`, `{"left":1}`},
		"values of other types":        {`{"files":"a","tests":null,"left":1.5}`, `{}`},
		"a name that is not declared":  {`{"left":1,"more":2}`, `{"left":1}`},
		"an object that is cut off":    {`{"files":["a"],"tests":"no`, ``},
		"none":                         {"I have nothing.", ``},
		"braces alone":                 {strings.Repeat("{", 1<<20), ``},
		"never closed":                 {strings.Repeat(`{"a":`, 1<<20/5), ``},
		"keys without values":          {strings.Repeat(`{"`, 1<<19), ``},
		"texts that are never closed":  {strings.Repeat(`{"a":"`+long[:100], 1<<20/106), ``},
		"behind a megabyte":            {long + `{"left":3}`, `{"left":3}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if values := handedIn(tc.answer, declared); values != nil {
				raw, err := json.Marshal(values)
				if err != nil {
					t.Fatal(err)
				}
				got = string(raw)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("handed in (-want +got):\n%s", diff)
			}
			if values := handedIn(tc.answer, nil); values != nil {
				t.Errorf("where nothing is declared: %s", values)
			}
		})
	}
}
