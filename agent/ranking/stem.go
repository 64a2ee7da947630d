package ranking

import "strings"

// stem is what the forms of an English word have in common: crates, and crate; planned,
// planning, and plan; inspection, and inspects. Few endings are known, none changes the kind
// of a word, and what stays need not be one.
func stem(w string) string {
	if len(w) <= 3 || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return w
	}
	w = verb(singular(w))
	if base, ok := cut(w, "ly", 4); ok {
		w = base
	}
	w, _ = cut(w, "e", 3)
	w, _ = cut(w, "at", 5)
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}

// singular is a word without the ending of a plural.
func singular(w string) string {
	if !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") {
		return w
	}
	for _, ending := range []string{"xes", "ches", "shes", "sses"} {
		if strings.HasSuffix(w, ending) {
			return w[:len(w)-2]
		}
	}
	if base, ok := cut(w, "ies", 2); ok {
		return base + "y"
	}
	return w[:len(w)-1]
}

// verb is a word without an ending that makes it of a verb.
func verb(w string) string {
	if base, ok := cut(w, "ied", 2); ok {
		return base + "y"
	}
	for _, ending := range []string{"ing", "ed"} {
		if base, ok := cut(w, ending, 3); ok && strings.ContainsAny(base, "aeiouy") && !strings.HasSuffix(w, "eed") {
			return base
		}
	}
	for _, ending := range []string{"tion", "sion"} {
		if base, ok := cut(w, ending, 4); ok {
			return base + ending[:1]
		}
	}
	return w
}

// cut is a word without an ending, where at least so many letters are left.
func cut(w, ending string, left int) (string, bool) {
	if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= left {
		return base, true
	}
	return w, false
}
