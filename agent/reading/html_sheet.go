package reading

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What a style sheet may cost.
const (
	maxSheet    = 1 << 20 // bytes
	maxSameRule = 30      // rules for one class, id, or element
	maxNames    = 100     // of an element: its own, its id, and its classes
	maxParts    = 10      // of a selector
	maxWork     = 1 << 27 // comparisons for all elements
)

// Weights of rules: those with more win.
const (
	weightElement = 1
	weightClass   = 10
	weightID      = 100
	weightInline  = 1000
	weightUrgent  = 10000
)

// sheet is what the style sheets in a page say of how its text looks.
type sheet struct {
	rules   map[string][]styleRule // by the last part of their selectors
	page    htmlLook               // without any rule
	unclear bool                   // whether text may be hidden in ways that are not checked
	painted bool                   // whether the ground of any element may be another
	work    int                    // comparisons so far
}

// styleRule is for elements that all parts of its selector fit: name, ".class", and "#id".
type styleRule struct {
	parts        []string
	declarations []declaration
}

type declaration struct {
	name, value string
	weight      int
}

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	// Blocks that change nothing on a screen, and those that do on every one.
	notForScreens = regexp.MustCompile(`^@(?:media\s+print$|font-face|page|(?:-\w+-)?keyframes)`)
	everyScreen   = regexp.MustCompile(`^@media\s+(?:screen|all)$`)

	// States that last while somebody points at something, and what is put next to texts.
	passing = regexp.MustCompile(`::|:(?:hover|focus|active|visited|before|after)`)

	compound = regexp.MustCompile(`^(?:\*|[a-z][a-z0-9-]*)?(?:[.#][\w-]+)*$`)
	simple   = regexp.MustCompile(`[.#]?[\w-]+`)
)

func sheetOf(page *html.Node) sheet {
	s := sheet{rules: map[string][]styleRule{}, page: htmlLook{ink: black, ground: white}}
	room := maxSheet
	for n := range page.Descendants() {
		switch {
		case n.DataAtom == atom.Link && strings.Contains(strings.ToLower(attribute(n, "rel")), "stylesheet"):
			s.page = htmlLook{} // another file says how it looks
		case n.DataAtom == atom.Style && n.FirstChild != nil:
			css := n.FirstChild.Data
			s.unclear = s.unclear || len(css) > room
			css = agent.ClipBytes(css, room)
			room -= len(css)
			s.read(cssComment.ReplaceAllString(strings.ToLower(css), ""), true, false)
		}
	}
	return s
}

// read takes the rules of a sheet, or those in a block of one. They are certain where they
// hold on every screen.
func (s *sheet) read(css string, certain, inBlock bool) {
	for {
		before, after, found := strings.Cut(css, "{")
		if !found {
			return
		}
		prelude := strings.TrimSpace(before[strings.LastIndexByte(before, ';')+1:])
		if !strings.HasPrefix(prelude, "@") {
			var body string
			body, css, _ = strings.Cut(after, "}")
			s.unclear = s.unclear || strings.Contains(body, "{")
			s.add(prelude, declarationsOf(body), certain)
			continue
		}
		end := blockEnd(after)
		switch {
		case notForScreens.MatchString(prelude):
		case inBlock:
			s.unclear = true
		default:
			s.read(after[:end], everyScreen.MatchString(prelude), true)
		}
		css = after[min(end+1, len(after)):]
	}
}

// blockEnd is where the brace is that closes a block, or the end.
func blockEnd(css string) int {
	depth := 1
	for i := range len(css) {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(css)
}

// add takes a rule with each of its selectors.
func (s *sheet) add(selectors string, declarations []declaration, certain bool) {
	if len(declarations) == 0 {
		return
	}
	for selector := range strings.SplitSeq(selectors, ",") {
		selector = strings.TrimSpace(selector)
		parts := simple.FindAllString(selector, maxParts+1)
		key := "*"
		if len(parts) > 0 {
			key = parts[len(parts)-1]
		}
		switch {
		case passing.MatchString(selector):
		case !certain, !compound.MatchString(selector), len(parts) > maxParts, len(s.rules[key]) == maxSameRule:
			s.pass(declarations)
		default:
			s.rules[key] = append(s.rules[key], styleRule{parts, weighted(declarations, parts)})
		}
	}
}

// pass remembers what rules would do that are not applied.
func (s *sheet) pass(declarations []declaration) {
	l := htmlLook{ink: black, ground: white}
	for _, d := range declarations {
		l.set(d.name, d.value)
	}
	s.painted = s.painted || l.ground != white
	s.unclear = s.unclear || l.hides() || s.painted
}

func weighted(declarations []declaration, parts []string) []declaration {
	weight := 0
	for _, part := range parts {
		switch part[0] {
		case '#':
			weight += weightID
		case '.':
			weight += weightClass
		default:
			weight += weightElement
		}
	}
	declarations = slices.Clone(declarations)
	for i := range declarations {
		declarations[i].weight += weight
	}
	return declarations
}

// declarationsOf reads what stands between the braces of a rule, in lower case.
func declarationsOf(body string) []declaration {
	var all []declaration
	for part := range strings.SplitSeq(body, ";") {
		name, value, _ := strings.Cut(part, ":")
		d := declaration{name: strings.TrimSpace(name)}
		value, rest, urgent := strings.Cut(value, "!")
		if d.value = strings.TrimSpace(value); urgent && strings.TrimSpace(rest) == "important" {
			d.weight = weightUrgent
		}
		switch d.name {
		case "display", "visibility", "opacity", "clip", "text-indent", "left", "top", "right", "bottom", "margin-left",
			"font-size", "color", "background", "background-color", "background-image":
			all = append(all, d)
		}
	}
	return strongest(all)
}

// declarations are those for an element.
func (s *sheet) declarations(n *html.Node) []declaration {
	names := []string{"*", strings.TrimPrefix(n.Data, renamed)}
	style := ""
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			for class := range strings.FieldsSeq(strings.ToLower(a.Val)) {
				if len(names) == maxNames {
					s.unclear = true
					break
				}
				names = append(names, "."+class)
			}
		case "id":
			names = append(names, "#"+strings.ToLower(strings.TrimSpace(a.Val)))
		case "style":
			style = strings.ToLower(a.Val)
		}
	}
	var all []declaration
	for i, name := range names {
		rules := s.rules[name]
		if len(rules) == 0 || slices.Contains(names[:i], name) {
			continue
		}
		if s.work += len(rules) * len(names); s.work > maxWork {
			s.unclear = true
			break
		}
		for _, rule := range rules {
			if !slices.ContainsFunc(rule.parts, func(part string) bool { return !slices.Contains(names, part) }) {
				all = append(all, rule.declarations...)
			}
		}
	}
	for _, d := range declarationsOf(cssComment.ReplaceAllString(style, "")) {
		d.weight += weightInline
		all = append(all, d)
	}
	return strongest(all)
}

// strongest are the declarations that win, one of each name: of two equal ones, the last.
func strongest(all []declaration) []declaration {
	if len(all) < 2 {
		return all
	}
	slices.SortStableFunc(all, func(a, b declaration) int { return cmp.Compare(a.weight, b.weight) })
	seen := map[string]bool{}
	var kept []declaration
	for _, d := range slices.Backward(all) {
		if !seen[d.name] {
			seen[d.name] = true
			kept = append(kept, d)
		}
	}
	slices.Reverse(kept)
	return kept
}
