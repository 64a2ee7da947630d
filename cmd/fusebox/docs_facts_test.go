package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fusebox/cmd/fusebox/docstest"
)

// refused is what the program says to bad arguments.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	status, out, said := inProcess(t, t.TempDir(), "", args...)
	if status != exitUsage {
		t.Fatalf("%q: status %d\n%s%s", args, status, out, said)
	}
	return out + said
}

var flagWord = regexp.MustCompile(`(?:^|[\s\[])(--?[a-z][a-z-]*)`)

func flagsIn(text string) []string {
	var all []string
	for _, m := range flagWord.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func generalFlags(t *testing.T) []string {
	t.Helper()
	_, list, _ := strings.Cut(refused(t, "-unknown"), "allowed flags:")
	return flagsIn(list)
}

// synopses are the usage lines in a text, by their command: "user add".
func synopses(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(text, ", or ", "\n")) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "usage: "))
		if len(words) < 2 || words[0] != "fusebox" {
			continue
		}
		name := ""
		for _, word := range words[1:] {
			if strings.ToLower(word) != word || strings.HasPrefix(word, "-") || strings.HasPrefix(word, "[-") || word == "[flags]" {
				break
			}
			name = strings.TrimSpace(name + " " + strings.Trim(word, "[]"))
		}
		all[name] = append(all[name], flagsIn(line)...)
	}
	for name, flags := range all {
		slices.Sort(flags)
		all[name] = slices.Compact(flags)
	}
	return all
}

// TestDocsSynopses: the page about the command line has every command with all
// its flags, and no other.
func TestDocsSynopses(t *testing.T) {
	t.Parallel()
	said := refused(t, "-h")
	for _, group := range []string{"guards", "policy", "prices", "audit", "ledger", "user", "token"} {
		said += "\n" + strings.ReplaceAll(refused(t, group), "usage:", "\n")
	}
	has := synopses(said)
	page := docstest.Open(t, "docs/command-line.md")
	var shown strings.Builder
	for _, b := range page.Blocks {
		if b.Lang == "text" {
			shown.WriteString(b.Text)
		}
	}
	listed := synopses(shown.String())
	docstest.SameNames(t, "commands", slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(has)))
	for name, flags := range has {
		sameFlags(t, name, listed[name], flags)
		if !strings.Contains(page.Prose, "\n## fusebox "+name+"\n") {
			t.Errorf("%s has no section", name)
		}
	}
}

func sameFlags(t *testing.T, name string, listed, has []string) {
	t.Helper()
	if !slices.Equal(listed, has) {
		t.Errorf("fusebox %s: the page lists the flags %q, the program has %q", name, listed, has)
	}
}

// TestDocsSources: the pages have every flag and environment variable.
func TestDocsSources(t *testing.T) {
	t.Parallel()
	configuration, words := docstest.Open(t, "docs/configuration.md"), readSource(t)
	docstest.SameNames(t, "flags", configuration.Column("Flag", 0), generalFlags(t))
	var own []string
	for _, name := range words.matching(`^(FUSEBOX|OPENAI)_[A-Z_]+$`) {
		// Variables of keys have no names of their own.
		if !slices.Contains(keyVariables(t), name) {
			own = append(own, name)
		}
	}
	standard := words.matching(`^OTEL_[A-Z_]+$`)
	docstest.SameNames(t, "variables", configuration.Column("Flag", 1), own)
	docstest.SameNames(t, "OpenTelemetry's variables", docstest.Open(t, "docs/telemetry.md").Column("Variable", 0), standard)
}

// keyVariables are the environment variables of all keys.
func keyVariables(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, key := range docstest.Open(t, "docs/configuration.md").Column("Key", 0) {
		all = append(all, "FUSEBOX_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_")))
	}
	return all
}

// TestDocsSourceNames: pages that list names of the source have all of them.
func TestDocsSourceNames(t *testing.T) {
	t.Parallel()
	words := readSource(t)
	providers := docstest.Open(t, "docs/providers.md")
	docstest.SameNames(t, "metrics", docstest.Open(t, "docs/telemetry.md").Column("Metric", 0), sortedMatches(words.telemetry, `^(fusebox_[a-z_]+|gen_ai_[a-z_]+_seconds)$`))
	docstest.SameNames(t, "audited actions", docstest.Open(t, "docs/audit.md").Column("What", 1), words.audited())
	outside, workflows := docstest.Open(t, "docs/tools.md"), docstest.Open(t, "docs/workflows.md")
	docstest.SameNames(t, "keys of tables", slices.Compact(slices.Sorted(slices.Values(slices.Concat(
		providers.Column("Key of `[[providers]]`", 0), providers.Column("Key of `[[providers.models]]`", 0),
		outside.Column("Key of `[[mcp.servers]]`", 0), outside.Column("Key of `[[tools.commands]]`", 0), outside.Column("Key of `[[tools.openapi]]`", 0),
		outside.Column("Key of `[[tools.limits]]`", 0), docstest.Open(t, "docs/agents.md").Column("Key of `[agents.NAME]`", 0),
		workflows.Column("Key of `[workflows.NAME]`", 0), workflows.Column("Key of `[[workflows.NAME.inputs]]`", 0), workflows.Column("Key of `[[workflows.NAME.steps]]`", 0))))), words.tomlKeys())
	api := docstest.Open(t, "docs/api.md")
	for _, kind := range words.errorTypes() {
		if !slices.Contains(docstest.Spans(api.Prose), kind) {
			t.Errorf("docs/api.md does not name the errorType %s", kind)
		}
	}
	for _, address := range api.Column("Address", 0) {
		if pattern := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(address, ":id"); !words.literals[pattern] {
			t.Errorf("docs/api.md: there is no page %s", address)
		}
	}
}

// TestDocsNames: what a page names in code exists in the program.
func TestDocsNames(t *testing.T) {
	t.Parallel()
	known := readNames(t)
	for _, page := range docstest.Pages(t) {
		for _, name := range docstest.Spans(page.Prose) {
			if problem := known.problem(name); problem != "" {
				t.Errorf("%s: %s", page.Path, problem)
			}
		}
	}
}

// names are all that pages may name.
type names struct {
	dotted, metrics  map[string]bool
	variables, flags []string
	commands         map[string][]string
}

func readNames(t *testing.T) names {
	t.Helper()
	words := readSource(t)
	n := names{dotted: maps.Clone(words.literals), metrics: words.telemetry, commands: map[string][]string{}}
	for _, name := range slices.Concat(words.audited(), docstest.Open(t, "docs/configuration.md").Column("Key", 0)) {
		n.dotted[name] = true
	}
	n.variables = slices.Concat(keyVariables(t), words.matching(`^(FUSEBOX|OPENAI|OTEL)_`), words.inTests(`^FUSEBOX_[A-Z_]+$`))
	n.flags = append(generalFlags(t), "-h")
	for _, b := range docstest.Open(t, "docs/command-line.md").Blocks {
		if b.Lang == "text" {
			maps.Copy(n.commands, synopses(b.Text))
			n.flags = append(n.flags, flagsIn(b.Text)...)
		}
	}
	return n
}

var (
	dottedName   = regexp.MustCompile(`^[a-z]+(\.[a-z_]+)+$`)
	variableName = regexp.MustCompile(`^(FUSEBOX|OPENAI|OTEL)_[A-Z_]*[A-Z]\b`)
	metricName   = regexp.MustCompile(`^fusebox_[a-z_]+$`)
	fileName     = regexp.MustCompile(`\.(go|md|toml|json|jsonl|db|txt|js|css|csv|templ|sql|yml)$`)
)

// problem says what is wrong with a name, "" for nothing.
func (n names) problem(name string) string {
	variable := variableName.FindString(name)
	flag, _, _ := strings.Cut(name, " ")
	switch {
	case fileName.MatchString(name):
		return ""
	case dottedName.MatchString(name) && !n.dotted[name]:
		return "there is no " + name
	case variable != "" && !slices.Contains(n.variables, variable):
		return "there is no variable " + variable
	case metricName.MatchString(name) && !n.metrics[name]:
		return "there is no metric " + name
	case flagWord.MatchString(flag) && !slices.Contains(n.flags, flag):
		return "there is no flag " + flag
	case strings.HasPrefix(name, "fusebox ") && !n.startsCommand(name):
		return "there is no command " + name
	}
	return ""
}

func (n names) startsCommand(text string) bool {
	rest := strings.TrimPrefix(text, "fusebox ")
	for name := range n.commands {
		if rest == name || strings.HasPrefix(rest, name+" ") {
			return true
		}
	}
	return strings.HasPrefix(rest, "-")
}
