package reading

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlLook is how the text of an element is shown.
type htmlLook struct {
	gone   bool // it and all that is in it
	unseen bool
	tiny   bool
	ink    colour
	ground colour
}

// hides reports whether people do not see text that looks so.
func (l htmlLook) hides() bool { return l.gone || l.unseen || l.tiny || l.ink.like(l.ground) }

// colour is one of the screen; not all are known.
type colour struct {
	red, green, blue int
	known            bool
}

var (
	black = colour{known: true}
	white = colour{255, 255, 255, true}
)

// like reports whether nobody could tell two colours apart.
func (c colour) like(o colour) bool {
	const near = 8
	return c.known && o.known && max(c.red-o.red, o.red-c.red, c.green-o.green, o.green-c.green, c.blue-o.blue, o.blue-c.blue) <= near
}

var (
	hexColour = regexp.MustCompile(`^#([0-9a-f]{3}|[0-9a-f]{6})$`)
	rgbColour = regexp.MustCompile(`^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})`)
	length    = regexp.MustCompile(`^(-?\d*\.?\d+)(px|pt|em|rem|%|)$`)
)

// colourOf reads a colour of a style sheet in lower case.
func colourOf(value string) colour {
	switch value = strings.TrimSpace(value); value {
	case "black":
		return black
	case "white":
		return white
	}
	if m := hexColour.FindStringSubmatch(value); m != nil {
		digits := m[1]
		if len(digits) == 3 {
			digits = strings.Join([]string{digits[:1], digits[:1], digits[1:2], digits[1:2], digits[2:], digits[2:]}, "")
		}
		n, _ := strconv.ParseUint(digits, 16, 32)
		return colour{int(n >> 16), int(n >> 8 & 255), int(n & 255), true}
	}
	if m := rgbColour.FindStringSubmatch(value); m != nil {
		c := colour{known: true}
		for i, part := range []*int{&c.red, &c.green, &c.blue} {
			*part, _ = strconv.Atoi(m[i+1])
		}
		return c
	}
	return colour{}
}

// set changes how an element looks by one declaration, and reports whether that hides its text.
func (l *htmlLook) set(name, value string) {
	number, unit := 0.0, ""
	m := length.FindStringSubmatch(value)
	isNumber := m != nil
	if isNumber {
		number, _ = strconv.ParseFloat(m[1], 64)
		unit = m[2]
	}
	switch name {
	case "display":
		l.gone = l.gone || value == "none"
	case "visibility":
		l.unseen = value == "hidden" || value == "collapse"
	case "opacity":
		l.gone = l.gone || isNumber && number == 0
	case "clip":
		l.gone = l.gone || strings.HasPrefix(value, "rect(0") || strings.HasPrefix(value, "rect(1px")
	case "text-indent", "left", "top", "right", "bottom", "margin-left":
		l.gone = l.gone || isNumber && unit != "%" && number <= -500
	case "font-size":
		l.tiny = isNumber && isTiny(number, unit) || l.tiny && (unit == "em" || unit == "%")
	case "color":
		if value == "transparent" {
			l.ink = l.ground
		} else if value != "inherit" {
			l.ink = colourOf(value)
		}
	case "background", "background-color", "background-image":
		l.paint(value)
	}
}

func isTiny(number float64, unit string) bool {
	switch unit {
	case "em", "rem":
		return number < 0.1
	case "%":
		return number < 10
	default:
		return number <= 1
	}
}

// paint changes the ground; that under a picture is unknown.
func (l *htmlLook) paint(value string) {
	switch value {
	case "transparent", "none", "inherit", "initial", "unset":
		return
	}
	l.ground = colourOf(value)
	if !l.ground.known && !strings.Contains(value, "url(") && !strings.Contains(value, "gradient") {
		for part := range strings.FieldsSeq(value) {
			if c := colourOf(part); c.known {
				l.ground = c
			}
		}
	}
}

// apply is how the contents of an element look inside of another.
func (s *sheet) apply(n *html.Node, l htmlLook) htmlLook {
	if n.Type != html.ElementNode {
		return l
	}
	if s.painted {
		l.ground = colour{}
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			l.gone = true
		case "aria-hidden":
			l.gone = l.gone || strings.EqualFold(strings.TrimSpace(a.Val), "true")
		case "color":
			l.set("color", strings.ToLower(a.Val))
		case "bgcolor":
			l.set("background", strings.ToLower(a.Val))
		}
	}
	if n.DataAtom == atom.Dialog && !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "open" }) {
		l.gone = true
	}
	// The ground comes first: what is transparent takes its colour.
	all := s.declarations(n)
	for _, d := range all {
		if strings.HasPrefix(d.name, "background") {
			l.set(d.name, d.value)
		}
	}
	for _, d := range all {
		if !strings.HasPrefix(d.name, "background") {
			l.set(d.name, d.value)
		}
	}
	return l
}
