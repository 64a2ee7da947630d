package web

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// robotsRules are what a robots.txt says to this program, as RFC 9309 has it: the group
// that names it, or else the one for everybody; of the rules that match a path the longest
// holds, and of two that are as long the one that allows. Lines that mean nothing are
// passed over, so that one of them does not take back the others.
type robotsRules struct {
	closed bool // nothing is allowed
	list   []robotsRule
}

// robotsRule is a pattern of paths: pieces in their order with anything between them. An
// anchored one holds for whole paths only.
type robotsRule struct {
	allow    bool
	pieces   []string
	anchored bool
	length   int
}

// parseRobots reads the lines for a program of this name.
func parseRobots(text []byte, name string) robotsRules {
	var own, everybody robotsRules
	named, forOwn, forAll, inAgents := false, false, false, false
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		field, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch field = strings.ToLower(strings.TrimSpace(field)); field {
		case "user-agent":
			if !inAgents {
				forOwn, forAll = false, false
			}
			inAgents = true
			isOwn := strings.EqualFold(productToken(value), name)
			named, forOwn, forAll = named || isOwn, forOwn || isOwn, forAll || value == "*"
		case "allow", "disallow":
			inAgents = false
			if value == "" {
				continue
			}
			rule := newRobotsRule(field == "allow", value)
			if forOwn {
				own.list = append(own.list, rule)
			}
			if forAll {
				everybody.list = append(everybody.list, rule)
			}
		}
	}
	if named {
		return own
	}
	return everybody
}

// productToken is the name at the beginning of what a group is for; a version may follow.
func productToken(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return r != '-' && r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if end < 0 {
		return agent
	}
	return agent[:end]
}

func newRobotsRule(allow bool, pattern string) robotsRule {
	if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "*") {
		pattern = "/" + pattern
	}
	pattern = canonical(pattern)
	r := robotsRule{allow: allow, length: len(pattern)}
	pattern, r.anchored = strings.CutSuffix(pattern, "$")
	r.pieces = strings.Split(pattern, "*")
	return r
}

// allows reports whether a path with its query, escaped, may be read.
func (r robotsRules) allows(path string) bool {
	if r.closed {
		return false
	}
	path = canonical(path)
	best := robotsRule{allow: true}
	for _, rule := range r.list {
		if (rule.length > best.length || rule.length == best.length && rule.allow) && rule.matches(path) {
			best = rule
		}
	}
	return best.allow
}

// matches takes the first place for each piece: none further back leaves more for the next.
func (r robotsRule) matches(path string) bool {
	first, last := r.pieces[0], len(r.pieces)-1
	rest, ok := strings.CutPrefix(path, first)
	if !ok || last == 0 {
		return ok && (!r.anchored || rest == "")
	}
	for _, piece := range r.pieces[1:last] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	if r.anchored {
		return strings.HasSuffix(rest, r.pieces[last])
	}
	return strings.Contains(rest, r.pieces[last])
}

// canonical writes out what was escaped without need, and other escapes in one way.
func canonical(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		var b [1]byte
		if path[i] != '%' || i+2 >= len(path) {
			out.WriteByte(path[i])
			continue
		}
		if _, err := hex.Decode(b[:], []byte(path[i+1:i+3])); err != nil {
			out.WriteByte(path[i])
			continue
		}
		if unreserved(b[0]) {
			out.WriteByte(b[0])
		} else {
			out.WriteString(strings.ToUpper(path[i : i+3]))
		}
		i += 2
	}
	return out.String()
}

// unreserved reports whether a byte means the same whether it is escaped or not.
func unreserved(b byte) bool {
	return b >= 0x80 || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || strings.IndexByte("-._~", b) >= 0
}
