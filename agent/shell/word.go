package shell

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command, without its quotes.
type word struct {
	text string
	// open says that a part of it is known at run time only.
	open bool
	// quoted says that a part of it was in quotes: a shell splits it no more.
	quoted bool
	// wild says that it has signs that a shell replaces by names of files.
	wild bool
}

// word reads a word. What is known at run time only stands in it as it is written.
func (r *reader) word(w *syntax.Word) word {
	var read word
	if w == nil {
		return read
	}
	for _, p := range w.Parts {
		r.part(&read, p, false)
	}
	return read
}

func (r *reader) part(read *word, p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		r.literal(read, p.Value, quoted)
	case *syntax.SglQuoted:
		read.text, read.quoted = read.text+single(p), true
	case *syntax.DblQuoted:
		read.quoted = true
		for _, inner := range p.Parts {
			r.part(read, inner, true)
		}
	case *syntax.ParamExp:
		r.param(read, p)
	case *syntax.ArithmExp:
		read.text += "0"
	default:
		read.text, read.open = read.text+"$()", true
	}
}

// literal adds text as it is written: outside of single quotes with backslashes.
func (r *reader) literal(read *word, text string, quoted bool) {
	if !quoted && (strings.ContainsAny(text, "*?[") || braces.MatchString(text)) {
		read.wild = true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	read.text += b.String()
}

// braces are those that bash makes several words of.
var braces = regexp.MustCompile(`\{[^}]*(,|\.\.)`)

// single is the text in single quotes; in $'…' some characters are written by number.
func single(q *syntax.SglQuoted) string {
	if !q.Dollar {
		return q.Value
	}
	text, _, err := expand.Format(nil, q.Value, nil)
	if err != nil {
		return q.Value
	}
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// param adds the value of a variable where the line itself has set it.
func (r *reader) param(read *word, p *syntax.ParamExp) {
	plain := p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil
	if plain {
		if value, known := r.vars[p.Param.Value]; known {
			read.text += value
			return
		}
		read.text, read.open = read.text+"$"+p.Param.Value, true
		return
	}
	read.text, read.open = read.text+"${}", true
}

// fields are the words that a shell makes of it.
func (w word) fields() []string {
	if w.quoted || w.text == "" {
		return []string{w.text}
	}
	return strings.Fields(w.text)
}

// hides reports whether a word at a program's place becomes one only in the shell.
func (w word) hides() bool {
	return w.open || w.wild && w.text != "[" && w.text != "[["
}
