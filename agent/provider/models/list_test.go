package models

import (
	"strings"
	"testing"
)

// TestListsOfModels: however an endpoint writes its list, no good entry is lost.
func TestListsOfModels(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, want string }{
		"as documented":      {`{"object":"list","data":[{"id":"a"},{"id":"b"}]}`, "a b"},
		"an array":           {`[{"id":"a"},{"id":"b"}]`, "a b"},
		"names alone":        {`["a","b"]`, "a b"},
		"names in data":      {`{"data":["a",{"id":"b"}]}`, "a b"},
		"a byte order mark":  {"\xEF\xBB\xBF\n" + `{"data":[{"id":"a"},{"id":"b"}]}`, "a b"},
		"one bad entry":      {`{"data":[{"id":"a"},{"id":7},null,[],5,{"id":{}},{"id":"b","context_length":"many","type":3,"architecture":{"output_modalities":4}}]}`, "a b"},
		"models":             {`{"models":[{"name":"a"},{"model":"b"}]}`, "a b"},
		"models beside data": {`{"data":null,"models":[{"name":"a"},{"model":"b"}]}`, "a b"},
		"twice the same":     {`{"data":[{"id":"a"},{"id":"a"},{"id":"b"}]}`, "a b"},
		"a name without end": {`["a","` + strings.Repeat("x", 600) + `","b"]`, "a b"},
		"none":               {`{"data":[]}`, ""},
	} {
		list, err := Read([]byte(row.body))
		var ids []string
		for _, m := range list {
			ids = append(ids, m.ID)
		}
		if err != nil || strings.Join(ids, " ") != row.want {
			t.Errorf("%s: %q, %v", name, ids, err)
		}
	}
	if _, err := Read([]byte(`<html>`)); err == nil {
		t.Error("a web page is a list of models")
	}
}
