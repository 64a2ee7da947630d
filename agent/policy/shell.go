package policy

import "strings"

// maxLine bounds the shell text that is read, in bytes; it is far above what
// run_shell takes.
const maxLine = 64 << 10

// command is one simple command of a line.
type command struct {
	words []string // redirections are in it as separate words
	piped bool     // its input is the output of the command before it
	sure  bool     // a shell looks for a program here
}

// commands splits a shell line into the commands it is made of: at ; & |
// newlines, parentheses, $( and backquotes, also within quotes, because text
// in quotes may be another shell's command. Quotes and backslashes are taken
// off: 'rm' and r\m run the same program. It is not a shell: where it is wrong it
// finds too many commands, which can only raise a risk. A backslash before a
// newline joins two lines or, in a comment, does not: both are read.
func commands(line string) []command {
	all := split(line)
	if joined := strings.ReplaceAll(line, "\\\n", ""); joined != line {
		all = append(all, split(joined)...)
	}
	return all
}

func split(line string) []command {
	s := splitter{sure: true, patterns: strings.Contains(line, "esac")}
	text := []rune(line)
	for i, r := range text {
		s.next = 0
		if i+1 < len(text) {
			s.next = text[i+1]
		}
		s.take(r)
		s.before, s.last = s.last, r
	}
	s.endCommand()
	return s.all
}

// splitter is the state of reading a line.
type splitter struct {
	all                []command
	words              []string // of the command that is being read
	word               []rune
	started            bool // a word has begun, maybe an empty one
	redirect           bool // the word is a redirection
	piped, sure        bool // of the command that is being read
	ticked             bool // within backquotes
	patterns           bool // the line has a case, whose patterns end with a parenthesis
	before, last, next rune // around the one that is taken
}

func (s *splitter) take(r rune) {
	if s.redirect {
		if r == '<' || r == '>' || r == '&' || (r == '|' && s.last == '>') {
			s.word = append(s.word, r)
			return
		}
		s.endWord()
	}
	switch r {
	case '<', '>':
		if s.last == '\\' {
			s.word, s.started = append(s.word, r), true // so that the & of \>& ends a command
			return
		}
		s.beginRedirect(r)
	case '|', '&', ';', '\n', '(', ')', '`':
		s.separate(r)
	case ' ', '\t', '\r':
		s.endWord()
	case '\'', '"', '\\':
		s.started = true
	default:
		s.word, s.started = append(s.word, r), true
	}
}

// beginRedirect starts a redirection; a number before it is its descriptor.
func (s *splitter) beginRedirect(r rune) {
	if isDigits(string(s.word)) {
		s.word, s.started = nil, false
	}
	s.endWord()
	s.word, s.started, s.redirect = append(s.word, r), true, true
}

// separate ends a command, and notes what the next one is to this one.
func (s *splitter) separate(r rune) {
	substitution := r == '`' && !s.ticked
	if r == '`' {
		s.ticked = !s.ticked
	}
	if substitution {
		s.word, s.started = append(s.word, '$'), true
	}
	s.endCommand()
	s.sure = true
	switch r {
	case '|':
		// The second half of || is not a pipe, the & of |& is one.
		s.piped = s.last != '|' && s.next != '|'
	case '&':
		s.piped = s.piped && s.last == '|'
	case ';':
		s.piped = false
	case '(':
		s.sure = s.before != '$' || s.last != '(' // $(( is arithmetic
	case ')', '`':
		s.sure = substitution || s.patterns
	}
}

func (s *splitter) endWord() {
	if s.started {
		s.words = append(s.words, string(s.word))
	}
	s.word, s.started, s.redirect = nil, false, false
}

func (s *splitter) endCommand() {
	s.endWord()
	if len(s.words) == 0 {
		return
	}
	if !strings.HasPrefix(s.words[0], "#") {
		s.all = append(s.all, command{words: s.words, piped: s.piped, sure: s.sure})
		s.piped = false
	}
	s.words = nil
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
