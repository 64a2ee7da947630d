package passages_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/store"
	"fusebox/store/storetest"
)

// ask searches ana's documents, and returns which were found.
func ask(t *testing.T, s *store.Store, question string) []string {
	t.Helper()
	found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: question, Limit: 10})
	check(t, err)
	return documentsOf(found)
}

// TestQuestionsAreWords: signs and operators in a question find what its words say, and a
// question without a word is refused.
func TestQuestionsAreWords(t *testing.T) {
	t.Parallel()
	s := searched(t)
	addText(t, s, "mail", "mail.md", "Write to @harbour-office about F# and Go. The option is --skip-broken-lines. The share is 35%.")
	addText(t, s, "open", "KES-0007.md", "Ticket KES-0007. State: open. The hatch H-31/2 rattles. Don't paint it before Friday.")
	addText(t, s, "shut", "KES-0070.md", "Ticket KES-0070. State: shut. 备注：更换 H-31/4 的锁扣（第2次）。")
	for question, want := range map[string]string{
		"@harbour-office": "mail", `"--skip-broken-lines"`: "mail", "what about 35%?": "mail", "F#": "mail",
		"What is the state of ticket KES-0007?": "open", "H-31/2": "open", "don't paint": "open", "NOT hatch": "open",
		`hatch"`: "open", "(hatch": "open", "text:hatch": "open", "hatch*": "open", "NEAR(hatch rattles)": "open", "^hatch": "open", "-hatch": "open",
		"KES-0070，状态？": "shut", "H-31/4 锁扣": "shut", "\ufeff\u200b 锁扣": "shut",
	} {
		if got := ask(t, s, question); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %s first", question, got, want)
		}
	}
	for _, question := range []string{"", "  ", "？？？", "\u200b", `"*"`} {
		if _, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: question, Limit: 10}); agent.CodeOf(err) != agent.Invalid {
			t.Errorf("%q: %v", question, err)
		}
	}
}

// TestShortWords: pairs and single characters are found, beside Latin words and in full
// width, and what is absent is not.
func TestShortWords(t *testing.T) {
	t.Parallel()
	s := searched(t)
	for id, text := range map[string]string{
		"1": "导入mes-sync后12条孤立记录归档，验证已通过。", "2": "会上讨论了调度方案，决定月底试行。", "3": "调研度量规则：每季度一律填写新表。",
		"4": "工具柜(lockers)设在车间的东门，不设在仓库。", "5": "访客身份由门卫核对，門衛（繁體）同義。", "6": "PIN口令每六十天更换，旧pin作废。",
	} {
		addText(t, s, id, id, text)
	}
	for question, want := range map[string]string{
		"孤立": "1", "mes": "1", "验证 ok": "1", "调度": "2", "度量": "3", "调度方案是什么时候决定的": "2", "车间": "4", "lockers": "4",
		"门卫": "5", "口令": "6", "ＰＩＮ": "6", "柜": "4",
	} {
		if got := ask(t, s, question); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %s first", question, got, want)
		}
	}
	if got := ask(t, s, "降落伞"); len(got) > 0 {
		t.Errorf("what is absent finds %v", got)
	}
}

// TestNearlyEqualTexts: they take one place together and say how many there are; the one
// that is asked for stands for them. A document has three places at most.
func TestNearlyEqualTexts(t *testing.T) {
	t.Parallel()
	s := searched(t)
	for day := range 18 {
		addText(t, s, fmt.Sprint("log", day), fmt.Sprintf("log-%d.txt", day), fmt.Sprintf(
			"锅炉房值班记录。日期 2026-03-%02d。水压 0.%d MPa，水位正常，炉温 %d 度，阀门未更换，值班一人，无异常。", day+1, 30+day, 60+day))
	}
	addText(t, s, "repair", "repair.txt", "锅炉房维修单。2026-03-07 水压降到 0.12 MPa，更换阀门和垫圈，停炉一小时。")
	found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "哪天更换了阀门", Limit: 3})
	check(t, err)
	if got := documentsOf(found); len(got) != 2 || got[0] != "repair" && got[1] != "repair" {
		t.Fatalf("found %v", got)
	}
	if more := found[0].More + found[1].More; more != 17 {
		t.Errorf("%d more logs are told of, want 17", more)
	}
	found, err = s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "2026-03-07 的水压", Limit: 3})
	check(t, err)
	got := documentsOf(found)
	for _, want := range []string{"log6", "repair"} {
		if !slices.Contains(got[:min(2, len(got))], want) {
			t.Errorf("%s is not among the first two of %v", want, got)
		}
	}
	var text string
	var passages []agent.Passage
	for _, word := range []string{"amber", "birch", "cedar", "dogwood", "elder"} {
		start := len(text)
		text += "The turbine and the " + word + " at length, without anything else about " + word + " trees.\n"
		passages = append(passages, agent.Passage{Start: start, End: len(text)})
	}
	check(t, s.IndexDocument(agent.Document{ID: "trees", UserID: "ana", Name: "trees", Version: 1}, text, passages))
	if got := ask(t, s, "turbine"); len(got) != 3 {
		t.Errorf("found %v", got)
	}
}

// TestFoundPassages: a passage comes with its place, its headings, the head of its table, and
// where the terms stand; only those of the version that answers are found, by their owner.
func TestFoundPassages(t *testing.T) {
	t.Parallel()
	s := searched(t)
	text := "编号 | 名称 | 仓库\nRV-001 | 水泵 | 东库\nRV-002 | 风扇 | 西库\n"
	second := strings.Index(text, "RV-002")
	d := agent.Document{ID: "parts", UserID: "ana", Name: "parts.md", Version: 1, Reading: agent.Reading{Sections: []agent.Section{
		{End: len(text), Kind: agent.KindTable, Headings: []string{"手册", "零件表"}, Head: "编号 | 名称 | 仓库"},
	}}}
	check(t, s.IndexDocument(d, text, []agent.Passage{{Start: 0, End: second}, {Start: second, End: len(text)}}))
	check(t, s.IndexDocument(agent.Document{ID: "eves", UserID: "eve", Name: "eve", Version: 1}, "RV-002 风扇", []agent.Passage{{End: len("RV-002 风扇")}}))
	found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "RV-002在哪个仓库", Limit: 1})
	check(t, err)
	if len(found) != 1 {
		t.Fatalf("found %v", documentsOf(found))
	}
	f := found[0]
	var marked []string
	for _, m := range f.Marks {
		marked = append(marked, f.Text[m[0]:m[1]])
	}
	if !strings.HasPrefix(f.PassageID, "p") || f.Score <= 0 || f.Text != text[second:] {
		t.Errorf("found %+v", f)
	}
	if diff := cmp.Diff([]string{"RV-002"}, marked); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	want := agent.Found{DocumentID: "parts", Name: "parts.md", Version: 1, Start: second, End: len(text), Place: "零件表", Headings: []string{"手册", "零件表"}, Head: "编号 | 名称 | 仓库"}
	f.PassageID, f.Text, f.Score, f.Marks = "", "", 0, nil
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.Version, d.Reading.Sections = 2, nil
	check(t, s.IndexDocument(d, "replaced by nothing", []agent.Passage{{End: 19}}))
	if got := ask(t, s, "RV-002 风扇"); len(got) > 0 {
		t.Errorf("an earlier version is found: %v", got)
	}
	if got := ask(t, s, "replaced"); len(got) != 1 {
		t.Errorf("the new version is not found: %v", got)
	}
}

// TestOthersChangeNoScore: what others have makes no difference to what is found, and how.
func TestOthersChangeNoScore(t *testing.T) {
	t.Parallel()
	s := searched(t)
	addText(t, s, "a", "a", "The weir at the upper lock was closed.")
	addText(t, s, "b", "b", "The lock keeper has gone.")
	before, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "who closed the weir of the lock", Limit: 10})
	check(t, err)
	for i := range 50 {
		check(t, s.IndexDocument(agent.Document{ID: fmt.Sprint("eve", i), UserID: "eve", Name: "weir", Version: 1}, "weir weir closed", []agent.Passage{{End: 16}}))
	}
	after, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "who closed the weir of the lock", Limit: 10})
	check(t, err)
	if diff := cmp.Diff(before, after); diff != "" || len(before) == 0 {
		t.Errorf("%d found (-before +after):\n%s", len(before), diff)
	}
}

// TestNothingIsLeft: after Tidy and Erase no byte of a deleted document is in the files,
// though the index had it in parts of several sizes.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path)
	check(t, s.CreateUser(t.Context(), agent.User{ID: "ana", Email: "ana@example.org", Role: agent.RoleAdmin}, "h"))
	const marker, zh = "quixotrybdenum", "鑫犇淼"
	for i := range 300 {
		addText(t, s, fmt.Sprint("d", i), fmt.Sprint("d", i), fmt.Sprintf("Filler %d about rivers, bridges, and %d boats. 河上有桥。", i*7919, i*104729))
		if i%100 == 7 {
			addText(t, s, fmt.Sprint("gone", i), "secret "+marker, strings.Repeat("It names "+marker+zh+" often. ", 30))
		}
	}
	words := []string{marker, marker[:8], marker[4:], zh, zh[:6], zh[3:]}
	for _, word := range words {
		if storetest.CountIn(t, path, word) == 0 {
			t.Fatalf("%q is not in the files before it is deleted", word)
		}
	}
	for _, id := range []string{"gone7", "gone107", "gone207"} {
		check(t, s.RemoveDocument(id))
		if got := ask(t, s, marker+" "+zh); slices.Contains(got, id) {
			t.Errorf("%s is found after it was deleted", id)
		}
		storetest.Tidy(t, s)
	}
	if done, err := s.Erase(t.Context()); !done || err != nil {
		t.Fatalf("erased: %t, %v", done, err)
	}
	for _, word := range words {
		if n := storetest.CountIn(t, path, word); n > 0 {
			t.Errorf("%q is %d times in the files", word, n)
		}
	}
	if got := ask(t, s, "bridges 104729"); len(got) == 0 {
		t.Error("what was not deleted is not found any more")
	}
}

// TestRenamedDocument: it is found by its new name at once, and by the old one no more; then
// with each of its passages, and no byte of the old name is left.
func TestRenamedDocument(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path)
	check(t, s.CreateUser(t.Context(), agent.User{ID: "ana", Email: "ana@example.org", Role: agent.RoleAdmin}, "h"))
	var text string
	var passages []agent.Passage
	for i := range 40 {
		start := len(text)
		text += fmt.Sprintf("Chapter %d tells of the weir and of ship %d.\n", i, i*7919)
		passages = append(passages, agent.Passage{Start: start, End: len(text)})
	}
	check(t, s.IndexDocument(agent.Document{ID: "d", UserID: "ana", Name: "quixotry.txt", Version: 1}, text, passages))
	addText(t, s, "other", "other.txt", "Another text on weirs.")
	check(t, s.RenameDocument(t.Context(), "ana", "d", "Harbour chronicle.txt"))
	if got := ask(t, s, "harbour chronicle"); len(got) != 1 || got[0] != "d" {
		t.Errorf("the new name finds %v", got)
	}
	if got := ask(t, s, "quixotry"); len(got) > 0 {
		t.Errorf("the old name finds %v", got)
	}
	storetest.Tidy(t, s)
	if found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "harbour chronicle ship 308841", Limit: 1}); err != nil || len(found) != 1 || !strings.Contains(found[0].Text, "308841") || found[0].Name != "Harbour chronicle.txt" {
		t.Errorf("a later passage with the new name: %v, %+v", err, found)
	}
	check(t, s.Exec(`INSERT INTO passage_index (passage_index) VALUES ('integrity-check')`))
	if done, err := s.Erase(t.Context()); !done || err != nil {
		t.Fatalf("erased: %t, %v", done, err)
	}
	if n := storetest.CountIn(t, path, "quixotry"); n > 0 {
		t.Errorf("the old name is %d times in the files", n)
	}
	if err := s.RenameDocument(t.Context(), "eve", "d", "mine"); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("another person renames it: %v", err)
	}
}

// TestIndexStaysRight: documents come, are replaced, and go while the index is tidied; those
// that are there are found, and the others are not.
func TestIndexStaysRight(t *testing.T) {
	t.Parallel()
	s := searched(t)
	random := rand.New(rand.NewPCG(4, 2))
	versions := map[string]int{}
	for i := range 400 {
		id := fmt.Sprint("d", random.IntN(60))
		if random.IntN(3) == 0 && versions[id] > 0 {
			check(t, s.RemoveDocument(id))
			versions[id] = 0
		} else {
			versions[id] = i + 1
			text := fmt.Sprintf("The note %s of version QV%d on weirs and locks.", id, i+1)
			check(t, s.IndexDocument(agent.Document{ID: id, UserID: []string{"ana", "eve"}[len(id)%2], Name: id, Version: i + 1}, text, []agent.Passage{{End: len(text)}}))
		}
		if random.IntN(4) == 0 {
			_, err := s.Tidy(t.Context())
			check(t, err)
		}
		if i%150 == 149 {
			storetest.Tidy(t, s)
			check(t, s.Exec(`INSERT INTO passage_index (passage_index) VALUES ('integrity-check')`))
		}
	}
	storetest.Tidy(t, s)
	check(t, s.Exec(`INSERT INTO passage_index (passage_index) VALUES ('integrity-check')`))
	for i := range 400 {
		var found []agent.Found
		for _, user := range []string{"ana", "eve"} {
			more, err := s.FindPassages(t.Context(), agent.Search{UserID: user, In: agent.Everything(), Query: fmt.Sprint("QV", i+1), Limit: 10})
			check(t, err)
			found = append(found, more...)
		}
		want := 0
		for _, version := range versions {
			if version == i+1 {
				want++
			}
		}
		if len(found) != want {
			t.Errorf("version %d is found %d times, want %d", i+1, len(found), want)
		}
	}
}
