package policy

import (
	"path"
	"slices"
	"strings"
)

// maxCommands bounds how many simple commands of a line are looked at; a
// longer line is of exec's own risk at least.
const maxCommands = 1000

// simpleCommands splits a shell line into the commands it is made of: at ; & |
// newlines, parentheses, $( and backquotes. Quotes and backslashes are taken
// off, because 'rm' and r\m run the same program. It is no shell: where it is
// wrong it finds too many commands, which can only raise a risk.
func simpleCommands(line string) [][]string {
	var all [][]string
	var words []string
	var word strings.Builder
	started := false
	endWord := func() {
		if started {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 && len(all) < maxCommands {
			all = append(all, words)
		}
		words = nil
	}
	for _, r := range line {
		switch r {
		case ';', '&', '|', '\n', '(', ')', '`', '{', '}':
			endCommand()
		case ' ', '\t', '\r':
			endWord()
		case '\'', '"', '\\':
			started = true
		case '$':
			// $(…) is split at its parenthesis; $IFS and the like stay words.
			word.WriteRune(r)
			started = true
		default:
			word.WriteRune(r)
			started = true
		}
	}
	endCommand()
	return all
}

// wrappers run the command in their arguments.
var wrappers = []string{"command", "env", "exec", "nohup", "nice", "time", "timeout", "xargs", "builtin", "then", "do", "else", "!", "stdbuf", "setsid"}

// program returns the name and arguments of what a simple command runs, past
// assignments and wrappers with their options.
func program(words []string) (string, []string) {
	for i := 0; i < len(words); i++ {
		name := path.Base(words[i])
		wrapped := i > 0 && (strings.HasPrefix(words[i], "-") || isNumber(words[i]))
		if strings.Contains(words[i], "=") || slices.Contains(wrappers, name) || wrapped {
			continue
		}
		return name, words[i+1:]
	}
	return "", nil
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.smh") == ""
}

// hasFlags reports whether the arguments hold every one of the short flags,
// together or apart, or its long form.
func hasFlags(args []string, flags map[rune]string) bool {
	for short, long := range flags {
		found := slices.ContainsFunc(args, func(a string) bool {
			if strings.HasPrefix(a, "--") {
				return a == long
			}
			return strings.HasPrefix(a, "-") && strings.ContainsRune(a, short)
		})
		if !found {
			return false
		}
	}
	return true
}
