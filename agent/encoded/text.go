package encoded

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// Text is what a file says, and how it is written.
type Text struct {
	// Content is the text in UTF-8, without the byte order mark.
	Content string
	as      way
	mark    string
}

// way is how text is written; without a codec it is UTF-8.
type way struct {
	name  string
	codec encoding.Encoding
}

// maxCharacter is how many bytes a character has at most in any encoding.
const maxCharacter = 4

// Read reads a file; more says that raw is only its beginning, which may end in the middle
// of a character. It is false for what is no text: a byte order mark decides, then whether
// it is UTF-8, then what it looks like in an older encoding.
func Read(raw string, more bool) (Text, bool) {
	for _, m := range marks {
		if rest, found := strings.CutPrefix(raw, m.mark); found {
			content, ok := m.as.decode(rest, more)
			return Text{content, m.as, m.mark}, ok && !controls(content)
		}
	}
	if as, content, ok := unmarkedUTF16(raw, more); ok {
		return Text{content, as, ""}, true
	}
	if content, ok := (way{}).decode(raw, more); ok {
		return Text{Content: content}, true
	}
	if controls(raw) || damagedUTF8(raw) {
		return Text{}, false
	}
	as, content, ok := older(raw, more)
	return Text{content, as, ""}, ok
}

// Encoding names how the text is written, "" for UTF-8.
func (t Text) Encoding() string { return t.as.name }

// Aligned is the last place of the file, up to offset, where a character may begin as far as
// the encoding says. 0 leads behind the byte order mark.
func (t Text) Aligned(offset int64) int64 {
	begin := int64(len(t.mark))
	if offset > begin && strings.HasPrefix(t.as.name, "UTF-16") {
		offset -= (offset - begin) % 2
	}
	return max(offset, begin)
}

// Decoder makes UTF-8 of more of the same file; nil where it is that.
func (t Text) Decoder() *encoding.Decoder {
	if t.as.codec == nil {
		return nil
	}
	return t.as.codec.NewDecoder()
}

// Write are the bytes of the same file with another content. The error says which
// character its encoding has not.
func (t Text) Write(content string) (string, error) {
	content = strings.TrimPrefix(content, byteOrderMark)
	if t.as.codec == nil {
		return t.mark + content, nil
	}
	raw, err := t.as.codec.NewEncoder().String(content)
	if err != nil {
		return "", fmt.Errorf("the file is written in %s, which has no %s; write it in other characters", t.as.name, t.as.lacks(content))
	}
	return t.mark + raw, nil
}

// lacks names the first character that the encoding has not.
func (w way) lacks(content string) string {
	for _, r := range content {
		if _, err := w.codec.NewEncoder().String(string(r)); err != nil {
			return fmt.Sprintf("%q (%U)", r, r)
		}
	}
	return "such text"
}

// decode reads what is written in this way, and nothing that would be written otherwise.
// With more to come, it leaves out a character that is cut.
func (w way) decode(raw string, more bool) (string, bool) {
	content, ok := w.exactly(raw)
	for cut := 1; !ok && more && cut < min(maxCharacter, len(raw)); cut++ {
		content, ok = w.exactly(raw[:len(raw)-cut])
	}
	return content, ok
}

func (w way) exactly(raw string) (string, bool) {
	if w.codec == nil {
		return raw, utf8.ValidString(raw)
	}
	content, err := w.codec.NewDecoder().String(raw)
	if err != nil {
		return "", false
	}
	again, err := w.codec.NewEncoder().String(content)
	return content, err == nil && again == raw
}
