package reading

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
)

// The size of the largest sheet.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
	maxMerges = 100_000
)

// worksheet is one that is being read: its cells that have a value and are seen.
type worksheet struct {
	book          *workbook
	rows          []sheetRow
	cells         []sheetCell
	all           []byte // text of the cells
	merges        []merge
	hiddenColumns [maxColumn + 1]bool
	hidden        int // cells that are not seen

	row       int
	rowHidden bool
	column    int
	kind      string
	style     int
	value     []byte
	inValue   bool
}

// sheetRow is a row with cells from one index to another.
type sheetRow struct{ number, from, to int }

// sheetCell is a cell; its text lies between two places in that of the sheet.
type sheetCell struct {
	column     int32
	start, end uint32
	isText     bool
}

// merge are cells of a column that are shown as one.
type merge struct{ column, top, bottom int }

func (s *worksheet) full() bool { return len(s.all)+cellLine*len(s.cells) > s.book.limit }

func (s *worksheet) enter(_ string, e xml.StartElement) step {
	switch e.Name.Local {
	case "col":
		s.hideColumns(e)
	case "row":
		s.row++ // rows without a number, or in disorder, follow one another
		if n, err := strconv.Atoi(attrOf(e, "r")); err == nil && n > s.row {
			s.row = n
		}
		s.rowHidden = isSet(attrOf(e, "hidden"))
		s.column = 0
		s.rows = append(s.rows, sheetRow{s.row, len(s.cells), len(s.cells)})
	case "c":
		return s.beginCell(e)
	case "v", "t":
		s.inValue = true
	case "mergeCell":
		s.addMerge(attrOf(e, "ref"))
	case "f", "rPh", "extLst":
		return stepOver
	}
	return stepInto
}

func (s *worksheet) leave(name string) {
	switch name {
	case "v", "t":
		s.inValue = false
	case "row":
		s.endRow()
	case "c":
		s.endCell()
	}
}

func (s *worksheet) text(text []byte) {
	if s.inValue && len(s.value)+len(text) <= s.book.limit {
		s.value = append(s.value, text...)
	}
}

// isSet reads a property that is not set where it has no value.
func isSet(value string) bool { return value != "" && isOn(value) }

func (s *worksheet) hideColumns(e xml.StartElement) {
	first, _ := strconv.Atoi(attrOf(e, "min"))
	last, _ := strconv.Atoi(attrOf(e, "max"))
	if !isSet(attrOf(e, "hidden")) || first < 1 {
		return
	}
	for column := first; column <= min(last, maxColumn); column++ {
		s.hiddenColumns[column] = true
	}
}

// endRow forgets a row without cells.
func (s *worksheet) endRow() {
	last := len(s.rows) - 1
	row := &s.rows[last]
	row.to = len(s.cells)
	if row.from == row.to {
		s.rows = s.rows[:last]
		return
	}
	slices.SortStableFunc(s.cells[row.from:], func(a, b sheetCell) int { return cmp.Compare(a.column, b.column) })
}

func (s *worksheet) beginCell(e xml.StartElement) step {
	if s.full() {
		return stepOut
	}
	s.column++
	if column, _ := place(attrOf(e, "r")); column > 0 {
		s.column = column
	}
	s.kind, s.value, s.style = attrOf(e, "t"), s.value[:0], 0
	if style, err := strconv.Atoi(attrOf(e, "s")); err == nil {
		s.style = style
	}
	if s.column > maxColumn || s.row > maxRow || len(s.rows) == 0 {
		return stepOver
	}
	return stepInto
}

func (s *worksheet) endCell() {
	value := string(s.value)
	if value == "" {
		return
	}
	shown, isText := s.book.show(s.kind, s.style, value)
	shown = strings.TrimSpace(shown)
	switch {
	case shown == "":
	case s.rowHidden || s.hiddenColumns[s.column]:
		s.hidden++
	default:
		start := len(s.all)
		s.all = append(s.all, shown...)
		s.cells = append(s.cells, sheetCell{int32(s.column), uint32(start), uint32(len(s.all)), isText})
	}
}

// addMerge takes note of merged cells over several rows, such as "A4:B5".
func (s *worksheet) addMerge(ref string) {
	from, to, _ := strings.Cut(ref, ":")
	column, top := place(from)
	_, bottom := place(to)
	if column > 0 && bottom > top && len(s.merges) < maxMerges {
		s.merges = append(s.merges, merge{column, top, bottom})
	}
}

// place is the column and the row of a cell such as "AB12", from 1; 0 where it has none.
func place(ref string) (column, row int) {
	letters := strings.TrimRight(ref, "0123456789")
	for _, c := range []byte(letters) {
		if c < 'A' || c > 'Z' || column > maxColumn {
			return 0, 0
		}
		column = 26*column + int(c-'A') + 1
	}
	row, _ = strconv.Atoi(ref[len(letters):])
	return column, row
}

// fill gives the value of merged cells to each of their rows that is there.
func (s *worksheet) fill() {
	if len(s.merges) == 0 {
		return
	}
	slices.SortStableFunc(s.merges, func(a, b merge) int { return cmp.Compare(a.top, b.top) })
	type filling struct {
		bottom int
		cell   sheetCell
	}
	active, next, filled := map[int32]filling{}, 0, 0
	var cells []sheetCell
	for i, row := range s.rows {
		if filled > s.book.limit {
			clear(active)
			next = len(s.merges)
		}
		own := s.cells[row.from:row.to]
		s.rows[i].from = len(cells)
		cells = append(cells, own...)
		for column, f := range active {
			switch {
			case f.bottom < row.number:
				delete(active, column)
			case !hasColumn(own, column):
				cells = append(cells, f.cell)
				filled += cellCost + int(f.cell.end-f.cell.start)
			}
		}
		s.rows[i].to = len(cells)
		slices.SortStableFunc(cells[s.rows[i].from:], func(a, b sheetCell) int { return cmp.Compare(a.column, b.column) })
		for ; next < len(s.merges) && s.merges[next].top <= row.number; next++ {
			m := s.merges[next]
			at, found := findColumn(own, int32(m.column))
			if found && m.top == row.number {
				active[int32(m.column)] = filling{m.bottom, own[at]}
			}
		}
	}
	s.cells = cells
}

func findColumn(cells []sheetCell, column int32) (int, bool) {
	return slices.BinarySearchFunc(cells, column, func(c sheetCell, column int32) int { return cmp.Compare(c.column, column) })
}

func hasColumn(cells []sheetCell, column int32) bool {
	_, found := findColumn(cells, column)
	return found
}

// show writes a sheet: what stands above its table as text, then the table.
func (s *worksheet) show(b *builder, name string) {
	if s.hidden > 0 {
		b.noteHere(agent.NoteHidden, s.hidden)
	}
	if s.full() {
		defer b.cut()
	}
	s.fill()
	if len(s.rows) == 0 {
		return
	}
	b.heading(1, name)
	s.write(b)
}
