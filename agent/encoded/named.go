package encoded

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Names are the encodings that are known, as Encoding names them; UTF-8 comes first.
func Names() []string {
	names := []string{utf8Name}
	for _, w := range ways() {
		names = append(names, w.name)
	}
	return names
}

const utf8Name = "UTF-8"

func ways() []way {
	all := []way{utf16LE, utf16BE}
	for _, e := range easterns {
		all = append(all, e.way)
	}
	return append(all, western)
}

// ReadAs is Read for a file in a named encoding, whatever it looks like: what has no meaning in
// it becomes a replacement character. It is false for a name that is not known.
func ReadAs(name, raw string, more bool) (Text, bool) {
	if name == utf8Name {
		content, marked := strings.CutPrefix(raw, byteOrderMark)
		if !marked {
			return Text{Content: content}, true
		}
		return Text{content, way{}, byteOrderMark}, true
	}
	i := slices.IndexFunc(ways(), func(w way) bool { return w.name == name })
	if i < 0 {
		return Text{}, false
	}
	t := Text{as: ways()[i]}
	for _, m := range marks {
		if m.as == t.as && strings.HasPrefix(raw, m.mark) {
			t.mark = m.mark
		}
	}
	content, err := t.Decoder().String(raw[len(t.mark):])
	if more {
		content = strings.TrimRight(content, string(utf8.RuneError)) // a character that is cut
	}
	t.Content = content
	return t, err == nil
}
