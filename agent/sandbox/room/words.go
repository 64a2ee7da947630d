package room

// These do what package strings does, which would be initialised too late.

// split parts a text at each separator; what is empty is left out.
func split(text string, separates func(byte) bool) (parts []string) {
	begin := 0
	for i := 0; i <= len(text); i++ {
		if i == len(text) || separates(text[i]) {
			if i > begin {
				parts = append(parts, text[begin:i])
			}
			begin = i + 1
		}
	}
	return parts
}

// linesOf are the lines of a text that are not empty.
func linesOf(text string) []string { return split(text, func(c byte) bool { return c == '\n' }) }

func wordsOf(text string) []string {
	return split(text, func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' })
}

// cut parts a text at the first separator; after is empty where there is none.
func cut(text string, separator byte) (before, after string) {
	for i := range len(text) {
		if text[i] == separator {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// lastOf is where a byte stands in a text for the last time, -1 for nowhere.
func lastOf(text string, c byte) int {
	i := len(text) - 1
	for i >= 0 && text[i] != c {
		i--
	}
	return i
}

func beginsWith(text, begin string) bool {
	return len(text) >= len(begin) && text[:len(begin)] == begin
}

func endsWith(text, end string) bool {
	return len(text) >= len(end) && text[len(text)-len(end):] == end
}
