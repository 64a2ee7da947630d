package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Script is what a command line would run, as far as its text says: also what is
// inside of texts that it hands to other shells.
type Script struct {
	Line     string
	Commands []Command
	// Bodies are the function declarations, by name.
	Bodies map[string][]string // name -> the programs that the body runs
	// Unread says that the line, or a text that it hands to a shell, cannot be read.
	Unread bool
}

// Command is one program with its words.
type Command struct {
	// Word is the program as a shell finds it, Name its base name; both are "" for
	// assignments and redirections alone.
	Word, Name string
	Args       []string
	// Assigns are the assignments before it: NAME=VALUE.
	Assigns []string
	// Reads and Writes are the files of its redirections, Input is text that it
	// is given there.
	Reads, Writes []string
	Input         string
	// Upstream are the commands whose output flows into it.
	Upstream []Command
	// Hidden says that only the shell will know which program this is.
	Hidden bool
	// By is the program that may run this one, which is among its arguments; "" for a
	// shell itself.
	By string
	// Background says that the shell does not wait for it.
	Background bool
}

// Bounds of what is read. What is longer or deeper is unread.
const (
	maxLine     = 64 << 10
	maxCommands = 600
	maxDepth    = 6
	// Reading takes longer than in proportion to these.
	maxPipes    = 300
	maxBrackets = 1500
)

// Read reads a line. Shells differ in what a text means to them: what /bin/sh would
// run, and what bash would, is all there.
func Read(line string) Script {
	s := Script{Line: line, Bodies: map[string][]string{}}
	r := &reader{script: &s}
	s.Unread = !r.text(line, 0) || s.Unread
	r.written()
	return s
}

// Any reports whether one of the commands matches.
func (s Script) Any(match func(Command) bool) bool { return slices.ContainsFunc(s.Commands, match) }

// Is reports whether the program has one of the names.
func (c Command) Is(names ...string) bool { return slices.Contains(names, c.Name) }

// Operands are the arguments that are no options.
func (c Command) Operands() []string {
	var all []string
	for i, a := range c.Args {
		if a == "--" {
			return append(all, c.Args[i+1:]...)
		}
		if !strings.HasPrefix(a, "-") {
			all = append(all, a)
		}
	}
	return all
}

// reader collects the commands of a line and of the texts in it.
type reader struct {
	script *Script
	vars   map[string]string // what the text that is being read puts into variables
	parsed int               // so many texts were read
}

var variants = []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash}

// text reads one text in all variants; false where it fits none.
func (r *reader) text(text string, depth int) (understood bool) {
	r.parsed++
	if len(text) > maxLine || strings.Count(text, "|") > maxPipes || strings.Count(text, "(") > maxBrackets ||
		depth > maxDepth || r.parsed > maxCommands {
		r.script.Unread = true
		return false
	}
	outer, before := r.vars, len(r.script.Commands)
	for _, v := range variants {
		file, err := syntax.NewParser(syntax.Variant(v)).Parse(strings.NewReader(text), "")
		if err != nil {
			continue
		}
		understood = true
		r.vars = constants(file)
		r.file(file, before, depth)
	}
	r.vars = outer
	return understood
}
