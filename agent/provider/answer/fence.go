package answer

import "strings"

// fences follows the code fences of a markdown text that comes in pieces: text
// inside them is quoted.
type fences struct {
	line string // the current one, as much of it as matters
	mark string // what opened the fence that is open, "" for none
}

// maxFenceLine is how much of a line is kept to see whether it is a fence.
const maxFenceLine = 200

// open reports whether the text is inside a fence.
func (f *fences) open() bool { return f.mark != "" }

// write takes the next piece.
func (f *fences) write(text string) {
	for text != "" {
		line, rest, ends := strings.Cut(text, "\n")
		if len(f.line) < maxFenceLine {
			f.line += line[:min(len(line), maxFenceLine)]
		}
		if !ends {
			return
		}
		f.end()
		text = rest
	}
}

// end judges the line that is over: a fence opens with three marks or more, and
// closes with at least as many of the same and nothing behind them.
func (f *fences) end() {
	line := strings.TrimSpace(f.line)
	f.line = ""
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		n := len(line) - len(rest)
		switch {
		case n < 3:
		case f.mark == "" && (c == "~" || !strings.Contains(rest, c)):
			f.mark = line[:n]
			return
		case f.mark != "" && rest == "" && strings.HasPrefix(line, f.mark):
			f.mark = ""
			return
		}
	}
}
