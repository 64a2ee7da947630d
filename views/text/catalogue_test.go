package text

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/language"
)

// TestLanguagesAgree has every language say what English says: the same keys,
// with the same arguments.
func TestLanguagesAgree(t *testing.T) {
	t.Parallel()
	english := readAll(t, "en.toml")
	names, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range names {
		other := readAll(t, file.Name())
		for key, e := range english {
			switch o, ok := other[key]; {
			case !ok:
				t.Errorf("%s has no %s", file.Name(), key)
			case o.arity() != e.arity():
				t.Errorf("%s: %s takes %d arguments, English %d", file.Name(), key, o.arity(), e.arity())
			}
		}
		for key := range other {
			if _, ok := english[key]; !ok {
				t.Errorf("%s has %s, English has not", file.Name(), key)
			}
		}
	}
}

// TestMessages finds messages that cannot be formatted as they are meant.
func TestMessages(t *testing.T) {
	t.Parallel()
	english := readAll(t, "en.toml")
	names, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range names {
		for key, e := range readAll(t, file.Name()) {
			checkMessage(t, file.Name()+": "+key, e, english[key])
		}
	}
}

// checkMessage checks that a message uses all arguments, besides the one that only
// chooses a form in English.
func checkMessage(t *testing.T, name string, e, english entry) {
	t.Helper()
	seen := map[int]bool{}
	for _, form := range e.Forms {
		if rest := verb.ReplaceAllString(form, ""); strings.Contains(rest, "%") {
			t.Errorf("%s: a percent sign is written %%%%: %q", name, form)
		}
		for _, n := range arguments(form) {
			seen[n] = true
		}
	}
	if len(english.Forms) > 1 {
		seen[english.Arg] = true
	}
	if want := english.arity(); len(seen) != want {
		t.Errorf("%s: takes %d arguments and uses %v", name, want, slices.Sorted(maps.Keys(seen)))
	}
}

// same is what Chinese writes as English does, because it is a name, an abbreviation, or
// has no words.
var same = map[string]bool{
	"common.comma": true, "common.sentence": true, "common.csv": true, "audit.row.id": true, "page.notifications.webhook": true,
	"run.trace.tokens": true, "setup.limit.tokens": true, "approval.loop.tokens": true, "present.budget.tokens": true, "present.fuse.tokens": true,
	"page.run.tokens": true, "page.run.ended": true, "mail.of": true, "mail.fact.tokens": true, "mail.alert_of": true, "mail.utc": true, "page.spend.tokens": true, "layout.title": true, "mirror.percent": true, "budget.percent": true,
	"budget.used_of": true, "spend.table.percent": true, "learning.run": true, "approval.settled.line": true,
	"approval.settled.line_by": true, "approval.votes.by": true, "approval.votes.by_comment": true, "line.cut.result": true,
	"present.budget.gist.of": true, "present.loop.also": true, "present.span.guard": true, "spend.table.csv": true, "present.settled.by": true, "present.wish.line": true,
	"collection.and": true, "collection.of": true, "collection.move.theirs": true, "acts.as_markdown": true,
}

// TestChineseIsChinese finds texts that were left in English, and Chinese ones with the
// punctuation of English.
func TestChineseIsChinese(t *testing.T) {
	t.Parallel()
	han, halfWidth := regexp.MustCompile(`\p{Han}`), regexp.MustCompile(`\p{Han}[,;:!?()]|[,;:!?()]\p{Han}`)
	tight := regexp.MustCompile(`\p{Han}[A-Za-z0-9]|[A-Za-z0-9]\p{Han}`)
	for key, e := range readAll(t, "zh.toml") {
		says := e.Forms["other"]
		switch {
		case len(e.Forms) != 1:
			t.Errorf("%s: Chinese has one form, not %d", key, len(e.Forms))
		case !han.MatchString(says) && !same[key]:
			t.Errorf("%s: is not Chinese: %q", key, says)
		case halfWidth.MatchString(says):
			t.Errorf("%s: punctuation is full-width: %q", key, says)
		case tight.MatchString(verb.ReplaceAllString(says, "")) && !strings.HasPrefix(key, "date."):
			t.Errorf("%s: a space is between Chinese and Latin: %q", key, says)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	entries := map[string]entry{}
	table := map[string]any{"room": map[string]any{"plain": "x", "many": map[string]any{"one": "%d", "other": "%d", "arg": int64(2)}}}
	if err := flatten(entries, "", table); err != nil {
		t.Fatal(err)
	}
	if got := entries["room.many"]; got.Arg != 2 || len(got.Forms) != 2 || entries["room.plain"].Forms["other"] != "x" {
		t.Errorf("read as %v", entries)
	}
	for name, bad := range map[string]any{"a": 1, "b": map[string]any{"other": "x", "ARG": int64(1)}, "c": map[string]any{"other": "x", "one": 1.5}} {
		if err := flatten(map[string]entry{}, "", map[string]any{name: bad}); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	t.Parallel()
	if printerOf(language.MustParse("tlh")).Language() != "en" {
		t.Error("an unknown language is not English")
	}
}

func BenchmarkLoad(b *testing.B) {
	for range b.N {
		for _, tag := range Languages() {
			if _, err := load(tag); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// verb is an argument or a percent sign.
var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[sd]|%%`)

// arguments are the positions that a form uses.
func arguments(form string) []int {
	var used []int
	next := 1
	for _, m := range verb.FindAllStringSubmatch(form, -1) {
		if m[0] == "%%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		used = append(used, next)
		next++
	}
	return used
}

// arity is how many arguments a message takes.
func (e entry) arity() int {
	n := 0
	if len(e.Forms) > 1 {
		n = e.Arg
	}
	for _, form := range e.Forms {
		n = max(n, slices.Max(append(arguments(form), 0)))
	}
	return n
}

func readAll(t *testing.T, file string) map[string]entry {
	t.Helper()
	entries, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
