package reading_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

func TestMarkdownFrontMatter(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		content, title string
		tags, want     []string
	}{
		{"---\ntitle: \"Bees: a year\"\ntags: [hive, 'wax']\ndate: 2026-05-01\n---\n\nText\n", "Bees: a year", []string{"hive", "wax"},
			[]string{"property @2: title: \"Bees: a year\"\ntags: [hive, 'wax']\ndate: 2026-05-01", "@7: Text"}},
		{"---\r\nTags:\r\n  - hive\r\n  - wax\r\nother:\r\n- x\r\n...\r\n# A\r\nText", "", []string{"hive", "wax"},
			[]string{"property @2: Tags:\n  - hive\n  - wax\nother:\n- x", "A @9: Text"}},
		{"---\n\nText without properties\n\n---\n\nMore", "", nil, []string{"@1: ---\n\nText without properties\n\n---\n\nMore"}},
		{"---\ntitle: never closed\n", "", nil, []string{"@1: ---\ntitle: never closed"}},
	} {
		r := read(t, "bees.md", row.content)
		if diff := cmp.Diff(row.want, parts(r)); diff != "" || r.Title != row.title {
			t.Errorf("%q: title %q, %s", row.content, r.Title, diff)
		}
		if diff := cmp.Diff(row.tags, r.Tags); diff != "" {
			t.Errorf("%q: %s", row.content, diff)
		}
	}
}

func TestMarkdownSections(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		content string
		want    []string
	}{
		{"Intro\n\n# Hive ##\nA\n## Wax\n\nB\n\n# Honey\n#no heading\n", []string{"@1: Intro", "Hive @4: A", "Hive › Wax @7: B", "Honey @10: #no heading"}},
		{"Hive\nand wax\n===\nA\n\nHoney\n---\nB\n\n---\nC\n", []string{"Hive and wax @4: A", "Hive and wax › Honey @8: B\n\n---\nC"}},
		{"- item\n---\nA\n\n> quote\n---\nB", []string{"@1: - item\n---\nA\n\n> quote\n---\nB"}},
		{"# A\n\n## B\n\n## C\n\nText\n\n# D\n", []string{"A: B", "A › C @7: Text", ": D"}},
		{"### Deep\nA\n# Top\nB", []string{"Deep @2: A", "Top @4: B"}},
	} {
		r := read(t, "hive.md", row.content)
		if diff := cmp.Diff(row.want, parts(r)); diff != "" {
			t.Errorf("%q: %s", row.content, diff)
		}
	}
}

func TestMarkdownCode(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		content string
		want    []string
	}{
		{"# A\n\n```sh\n# no heading\nls\n```\nText\n", []string{"A code @3: ```sh\n# no heading\nls\n```", "A @7: Text"}},
		{"~~~\n```\n# no\n~~\n~~~~\n# B\nText", []string{"code @1: ~~~\n```\n# no\n~~\n~~~~", "B @7: Text"}},
		{"````\n```\n# no\n```\n# no\n````\n", []string{"code @1: ````\n```\n# no\n```\n# no\n````"}},
		{"```\n# never closed", []string{"code @1: ```\n# never closed"}},
		{"``` a`b\n# B\nText", []string{"@1: ``` a`b", "B @3: Text"}},
		{"# A\n\n    # no heading\n\n    ls\n\nText", []string{"A code @3:     # no heading\n\n    ls", "A @7: Text"}},
		{"\t# no heading\nText", []string{"code @1: \t# no heading", "@2: Text"}},
		{"A\n    # part of it", []string{"@1: A\n    # part of it"}},
		{"1. A\n\n    ```\n    # no\n    ```\n\n    B\n", []string{"@1: 1. A", "code @3:     ```\n    # no\n    ```", "@7:     B"}},
		{"> ```\n> # no\n> ```\n", []string{"@1: > ```\n> # no\n> ```"}},
	} {
		if diff := cmp.Diff(row.want, parts(read(t, "hive.md", row.content))); diff != "" {
			t.Errorf("%q: %s", row.content, diff)
		}
	}
}

func TestMarkdownTables(t *testing.T) {
	t.Parallel()
	r := read(t, "hive.md", "# A\nBefore\n| Month | Honey \\| wax |\n|:-----|-----:|\n| May | 3 kg |\n| June |\nJuly | 5 kg | more\n\nAfter\n\nno | table\nat all\n")
	want := []string{
		"A @2: Before",
		"A table @4: Month | Honey | wax\nMay | 3 kg\nJune | \nJuly | 5 kg",
		"A @9: After\n\nno | table\nat all",
	}
	if diff := cmp.Diff(want, parts(r)); diff != "" || r.Sections[1].Head != "Month | Honey | wax" {
		t.Errorf("head %q: %s", r.Sections[1].Head, diff)
	}
	r = read(t, "hive.md", "a | b\n-|-\n1 | 2\n# B\nText")
	if diff := cmp.Diff([]string{"table @2: a | b\n1 | 2", "B @5: Text"}, parts(r)); diff != "" {
		t.Error(diff)
	}
}

// Headings are lines of the text, too, so that it reads well as a whole.
func TestMarkdownTextIsWhole(t *testing.T) {
	t.Parallel()
	r := read(t, "hive.md", "Intro\n# Hive\n\n\nA\n\n```\nls\n```\n")
	if diff := cmp.Diff("Intro\n\nHive\n\nA\n\n```\nls\n```", r.Text); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]agent.Section{
		{Start: 0, End: 5, Line: 1},
		{Start: 13, End: 14, Headings: []string{"Hive"}, Line: 5},
		{Start: 16, End: 26, Headings: []string{"Hive"}, Kind: agent.KindCode, Line: 7},
	}, r.Sections); diff != "" {
		t.Error(diff)
	}
}

// TestMarkdownLinks: links between notes are read as the words that people see; code has none.
func TestMarkdownLinks(t *testing.T) {
	t.Parallel()
	const id = "0123456789abcdef0123456789abcdef"
	for content, want := range map[string]string{
		"See [[bees]], [[a/bees.md|the bees]], and ![[hive.png|300x200]].": "See bees, the bees, and hive.png.",
		"[[bees#Wax]] [[#Wax]] [[bees#^a1b2]] ![[bees#Wax#Old]]":           "bees › Wax Wax bees bees › Wax › Old",
		"`[[code]]` ``a ` [[b]]`` [[open [text](x.md) ![p](p.png) []":      "`[[code]]` ``a ` [[b]]`` [[open [text](x.md) ![p](p.png) []",
		"[Wax](Hive/Wax%20" + id + ".md) ![](Hive%20" + id + "/a%20b.png)": "Wax a b.png",
		"[Wax](https://www.notion.example/Wax-" + id + ")":                 "[Wax](https://www.notion.example/Wax-" + id + ")",
		"Item | Note\n--- | ---\nwax | [[bees\\|the bees]]":                "Item | Note\nwax | the bees",
		"- [[bees]]\n\n      [[bees]]\n\n> [[bees|b]]":                     "- bees\n\n      bees\n\n> b",
		"```\n[[bees]]\n```":   "```\n[[bees]]\n```",
		"Text\n\n    [[bees]]": "Text\n\n    [[bees]]",
	} {
		if r := read(t, "hive.md", content); r.Text != want {
			t.Errorf("%q is read as %q, not %q", content, r.Text, want)
		}
	}
	if r := read(t, "hive.md", "# About [[bees|the bees]]\nText"); r.Sections[0].Headings[0] != "About the bees" {
		t.Errorf("%+v", r.Sections)
	}
}
