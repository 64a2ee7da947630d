package reading

import (
	"encoding/xml"
	"math"
	"slices"
	"strconv"
)

// slide is one that is being read, or its notes.
type slide struct {
	limit    int    // bytes of text
	size     extent // of what is seen
	isHidden bool
	hidden   int // shapes that are not seen
	shapes   []*shape

	current *shape
	groups  []*shape // that are open
	choices alternatives
	frame   *frame // whose place is being read
	row     []string
	cell    []byte
	inCell  bool
	inText  bool
	isTiny  bool // whether the text is too small to be seen
	kept    int
}

// role is what a shape is for, in the order in which shapes are read.
type role int

const (
	roleTitle role = iota
	roleBody
	roleMargin
	roleNone
)

// roles are the placeholder types that do not belong to the body.
var roles = map[string]role{
	"title": roleTitle, "ctrTitle": roleTitle,
	"ftr": roleMargin, "hdr": roleMargin,
	"dt": roleNone, "sldNum": roleNone, "sldImg": roleNone,
}

// shape is a box with text, a table, or a group of shapes.
type shape struct {
	role     role
	isHidden bool
	frame    frame
	text     []byte
	rows     [][]string
}

// extent is a place or a size: from left to right, and from top to bottom.
type extent struct{ x, y float64 }

// frame is where a shape is; shapes of a group count from another place, in another scale.
type frame struct {
	known                  bool
	off, ext, chOff, chExt extent
}

func (s *slide) enter(parent string, e xml.StartElement) step {
	s.kept++
	if s.kept > s.limit {
		return stepOut
	}
	switch e.Name.Local {
	case "sld":
		if show := attrOf(e, "show"); show != "" && !isOn(show) {
			s.isHidden = true
			return stepOut
		}
	case "pic":
		return stepOver
	case "AlternateContent", "Choice", "Fallback":
		return s.choices.enter(e.Name.Local)
	case "grpSp":
		s.groups = append(s.groups, &shape{})
	case "sp", "graphicFrame":
		s.kept += placeCost
		s.current = &shape{role: roleBody}
	case "cNvPr":
		if shape := s.owner(parent == "nvGrpSpPr"); shape != nil {
			shape.isHidden = isSet(attrOf(e, "hidden"))
		}
	case "xfrm":
		if shape := s.owner(parent == "grpSpPr"); shape != nil {
			shape.frame.known = true
			s.frame = &shape.frame
		}
	case "off", "ext", "chOff", "chExt":
		if s.frame != nil && parent == "xfrm" {
			s.frame.take(e)
		}
	default:
		if s.current != nil {
			s.read(e)
		}
	}
	return stepInto
}

// owner is the inner group, or the shape that is being read; nil where there is none.
func (s *slide) owner(isGroup bool) *shape {
	if !isGroup {
		return s.current
	}
	if len(s.groups) == 0 {
		return nil
	}
	return s.groups[len(s.groups)-1]
}

// read takes what an element in a shape says of its text.
func (s *slide) read(e xml.StartElement) {
	switch e.Name.Local {
	case "ph":
		if role, found := roles[attrOf(e, "type")]; found {
			s.current.role = role
		}
	case "tr":
		s.row = nil
	case "tc":
		s.kept += cellCost
		s.cell, s.inCell = nil, true
		if rows := s.current.rows; isSet(attrOf(e, "vMerge")) && len(rows) > 0 && len(s.row) < len(rows[len(rows)-1]) {
			s.cell = []byte(rows[len(rows)-1][len(s.row)]) // it goes on with the cell above
			s.kept += len(s.cell)
		}
	case "r", "fld":
		s.isTiny = false
	case "rPr":
		size, err := strconv.Atoi(attrOf(e, "sz")) // in hundredths of a point
		s.isTiny = err == nil && size < 100
	case "t":
		s.inText = true
	case "br":
		s.add("\n")
	}
}

func (s *slide) leave(name string) {
	switch name {
	case "AlternateContent":
		s.choices.leave(name)
	case "grpSp":
		s.groups = s.groups[:len(s.groups)-1]
	case "xfrm":
		s.frame = nil
	case "t":
		s.inText = false
	case "p":
		s.add("\n")
	case "tc":
		s.row, s.inCell = append(s.row, string(s.cell)), false
	case "tr":
		if s.current != nil && len(s.row) > 0 {
			s.current.rows = append(s.current.rows, s.row)
		}
	case "sp", "graphicFrame":
		s.endShape()
	}
}

func (s *slide) text(text []byte) {
	switch {
	case !s.inText:
	case s.isTiny:
		s.hidden++
	default:
		s.kept += len(text)
		s.add(string(text))
	}
}

// add appends to the cell or the shape that is being read.
func (s *slide) add(text string) {
	switch {
	case s.inCell:
		s.cell = append(s.cell, text...)
	case s.current != nil:
		s.current.text = append(s.current.text, text...)
	}
}

// endShape puts a shape where it is on the slide. One that is hidden, or beside the slide, is
// left out.
func (s *slide) endShape() {
	shape := s.current
	s.current, s.inCell = nil, false
	if shape == nil || len(shape.rows) == 0 && shape.String() == "" {
		return
	}
	at := &shape.frame
	for _, group := range slices.Backward(s.groups) {
		shape.isHidden = shape.isHidden || group.isHidden
		at.move(group.frame)
	}
	if shape.isHidden || s.size.x > 0 && at.isOutside(s.size) {
		s.hidden++
		return
	}
	s.shapes = append(s.shapes, shape)
}

// take reads a place or a size.
func (f *frame) take(e xml.StartElement) {
	number := func(names ...string) float64 {
		for _, name := range names {
			if v, err := strconv.ParseFloat(attrOf(e, name), 64); err == nil && !math.IsNaN(v) {
				return v
			}
		}
		return 0
	}
	read := extent{number("x", "cx"), number("y", "cy")}
	switch e.Name.Local {
	case "off":
		f.off = read
	case "ext":
		f.ext = read
	case "chOff":
		f.chOff = read
	case "chExt":
		f.chExt = read
	}
}

// move makes a place in a group one in what the group is in.
func (f *frame) move(group frame) {
	if !f.known || !group.known {
		return
	}
	scale := extent{1, 1}
	if group.chExt.x != 0 && group.chExt.y != 0 {
		scale = extent{group.ext.x / group.chExt.x, group.ext.y / group.chExt.y}
	}
	f.off.x = group.off.x + (f.off.x-group.chOff.x)*scale.x
	f.off.y = group.off.y + (f.off.y-group.chOff.y)*scale.y
	f.ext.x *= scale.x
	f.ext.y *= scale.y
}

// isOutside reports whether nothing of a place lies on a slide of this size.
func (f *frame) isOutside(slide extent) bool {
	return f.known && (f.off.x >= slide.x || f.off.y >= slide.y || f.off.x+f.ext.x < 0 || f.off.y+f.ext.y < 0)
}
