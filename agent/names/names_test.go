package names

import (
	"strings"
	"testing"

	"fusebox/agent"
)

func TestPerson(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\u3000Ana   María": "Ana María", "Ａｎａ": "Ana", "ﬁona": "fiona", "Ana\u3000B": "Ana B", "王小明": "王小明", "": "", "Cafe\u0301": "Café", "①": "1",
	} {
		if got, err := Person("name", text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"rex@example.com", "rex＠example.com", "rex﹫example.com", "a\x00b", strings.Repeat("x", 61), strings.Repeat("ﷺ", 10), "a\u202eb", "a\xffb"} {
		if got, err := Person("name", text); err == nil || !strings.Contains(err.Error(), "name: is not a name") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestAccountsThatLookAlike(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"Ana Ivanova", "Аnа Ivanova", true},
		{"Ana Ivanova", "Αna Ιvanova", true},
		{"Bill", "Biil", true},
		{"Ian", "lan", true},
		{"person1", "personl", true},
		{"ROOT", "root", true},
		{"root", "r00t", true},
		{"Arnold", "Amold", true},
		{"Walter", "VValter", true},
		{"José", "Jose", true},
		{"Ana Smith", "AnaSmith", true},
		{"Scott", "Ѕсоtt", true},
		{"Maya", "Мауа", true},
		{"Paypal", "ΡΑΥΡΑL", true},
		{"Tom", "Ꭲom", true},
		{"Nina", "𝐍𝐢𝐧𝐚", true},
		{"王小明", "王小明", true},
		{"Ana", "Anna", false},
		{"王小明", "王小红", false},
		{"Tom", "Tim", false},
		{"person1", "person2", false},
	} {
		u, other := agent.User{ID: "1", Email: "x@example.org", Name: row.a}, agent.User{ID: "2", Email: "y@example.com", Name: row.b}
		if got := len(Of([]agent.User{u, other}).Like(u)) == 1; got != row.same {
			t.Errorf("names %s and %s: %t", row.a, row.b, got)
		}
		u, other = agent.User{ID: "1", Email: row.a + "@example.org"}, agent.User{ID: "2", Email: row.b + "@example.org"}
		if got := len(Of([]agent.User{u, other}).Like(u)) == 1; got != row.same {
			t.Errorf("addresses of %s and %s: %t", row.a, row.b, got)
		}
	}
	if found := Of([]agent.User{{ID: "1", Email: "a@b.c", Name: "A"}, {ID: "2", Email: "d@e.f"}}).Like(agent.User{ID: "2", Email: "d@e.f"}); found != nil {
		t.Errorf("nobody looks like %v", found)
	}
}
