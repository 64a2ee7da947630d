package reading_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/simplifiedchinese"

	"fusebox/agent"
	"fusebox/agent/reading"
)

func TestCSVFindsWhatIsBetween(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, content, separator, want string }{
		{"a.csv", "city,rain\nOslo,763\n", ",", "city | rain\nOslo | 763"},
		{"a.csv", "city;rain\nOslo;76,3\nRome;80,1\n", ";", "city | rain\nOslo | 76,3\nRome | 80,1"},
		{"a.csv", "1,5;2,5\n3,5;4,5\n", ";", "1,5 | 2,5\n3,5 | 4,5"},
		{"a.tsv", "city\train, snow\nOslo\t763, 12\n", "\t", "city | rain, snow\nOslo | 763, 12"},
		{"a.csv", "city|rain\nOslo|763\n", "|", "city | rain\nOslo | 763"},
		{"a.csv", "city,tags\nOslo,cold;north\nRome,warm\n", ",", "city | tags\nOslo | cold;north\nRome | warm"},
		{"a.csv", "Rain in 2025\ncity;rain\nOslo;763\nRome;80\n", ";", "Rain in 2025\ncity | rain\nOslo | 763\nRome | 80"},
		{"a.csv", "city\nOslo\n", ",", "city\nOslo"},
		{"a.csv", "\ufeffsep=;\r\n\"city, town\";rain\r\nOslo;7,5\r\n", ";", "city, town | rain\nOslo | 7,5"},
		{"a.csv", "\"SEP=|\"\na,b|c\n", "|", "a,b | c"},
		{"a.csv", "sep=\"\na,b\n", ",", "sep=\"\na | b"},
	} {
		r := read(t, row.name, row.content)
		if diff := cmp.Diff(row.want, r.Text); diff != "" || r.Separator != row.separator {
			t.Errorf("%q: separator %q, %s", row.content, r.Separator, diff)
		}
		head, _, _ := strings.Cut(row.want, "\n")
		if s := r.Sections[0]; s.Head != head || s.Kind != agent.KindTable || s.Line != 1 {
			t.Errorf("%q: %+v", row.content, s)
		}
	}
}

// TestCSVIsReadAsChosen: what a person says of a file is taken, whatever it looks like.
func TestCSVIsReadAsChosen(t *testing.T) {
	t.Parallel()
	raw, err := simplifiedchinese.GB18030.NewEncoder().String("联通;12,5\n")
	if err != nil {
		t.Fatal(err)
	}
	for choice, want := range map[agent.ReadingChoice]string{
		{}:                                    "联通 | 12,5",
		{Encoding: "GB18030"}:                 "联通 | 12,5",
		{Encoding: "GB18030", Separator: ","}: "联通;12 | 5",
		{Encoding: "Big5", Separator: ";"}:    "薊籵 | 12,5",
	} {
		r := readWithin(t, "a.csv", raw, reading.Options{Choice: choice})
		if choice.Encoding != "" && r.Encoding != choice.Encoding || r.Text != want {
			t.Errorf("%+v: %q %q", choice, r.Text, r.Encoding)
		}
	}
}

func TestCSVAsOfficesSaveIt(t *testing.T) {
	t.Parallel()
	raw, err := simplifiedchinese.GBK.NewEncoder().String(
		"书号;书名;价格;说明\r\nB-0071;园艺;24,80;\"放在门口;\r\n说\"\"新到\"\"\"\r\n;;;\r\nB-0072;木工;30,0;\r\n;;;\r\n;;;\r\n")
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, "books.csv", raw)
	want := []string{
		"table @1: 书号 | 书名 | 价格 | 说明\nB-0071 | 园艺 | 24,80 | 放在门口; / 说\"新到\"",
		"table @4: B-0072 | 木工 | 30,0 |",
	}
	if diff := cmp.Diff(want, parts(r)); diff != "" || r.Encoding != "GB18030" || r.Separator != ";" {
		t.Errorf("encoding %q, separator %q: %s", r.Encoding, r.Separator, diff)
	}
	if s := r.Sections[1]; s.Head != "书号 | 书名 | 价格 | 说明" {
		t.Errorf("behind a gap the head is %q", s.Head)
	}
}
