package guards

// minEncoded is from which length on a run without white space is not a word.
const minEncoded = 60

// token follows a run of the characters that encodings of data are made of.
type token struct {
	length          int
	letters, digits bool
}

// read reports whether the character belongs to an encoded block.
func (t *token) read(r rune) bool {
	switch {
	case isDigit(r):
		t.digits = true
	case (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z'):
		t.letters = true
	case r != '+' && r != '/' && r != '=' && r != '_' && r != '-':
		*t = token{}
		return false
	}
	t.length++
	return t.length >= minEncoded && t.letters && t.digits
}
