package reading

import (
	"slices"

	"fusebox/agent"
)

// maxTitleRows is how many rows may stand above a table.
const maxTitleRows = 20

// write writes the rows: a section for each run of rows that follow one another, as a
// section counts its lines.
func (s *worksheet) write(b *builder) {
	columns := s.columns()
	header := s.header()
	head := ""
	last := 0
	for i, row := range s.rows {
		if b.isFull {
			return
		}
		cells := s.line(columns, row)
		above := i < header
		if i == header {
			head = tableLine(cells)
		}
		if row.number != last+1 || i == 0 || i == header {
			section := agent.Section{Line: row.number, Kind: agent.KindTable, Head: head}
			if above {
				section.Kind = ""
			}
			b.begin(section)
		}
		if above {
			cells = slices.DeleteFunc(cells, func(cell string) bool { return cell == "" })
		}
		b.row(cells)
		last = row.number
	}
	b.end()
}

// columns are those that have a value anywhere.
func (s *worksheet) columns() []int32 {
	var used [maxColumn + 1]bool
	for _, c := range s.cells {
		used[c.column] = true
	}
	var columns []int32
	for column, is := range used {
		if is {
			columns = append(columns, int32(column))
		}
	}
	return columns
}

// line is a row with blanks for cells without a value, up to the last that has one.
func (s *worksheet) line(columns []int32, row sheetRow) []string {
	var line []string
	rest := s.cells[row.from:row.to]
	for _, column := range columns {
		if len(rest) == 0 {
			break
		}
		cell := ""
		for len(rest) > 0 && rest[0].column == column {
			cell = string(s.all[rest[0].start:rest[0].end])
			rest = rest[1:]
		}
		line = append(line, cell)
	}
	return line
}

// header is the index of the row that says what the columns are: the first with at least as
// many texts as any row below has values. Without one it is the first of texts only that has
// at least half as many; -1 where there is none.
func (s *worksheet) header() int {
	widest := make([]int, len(s.rows)+1) // below each row
	for i := len(s.rows) - 1; i > 0; i-- {
		widest[i-1] = max(widest[i], s.rows[i].to-s.rows[i].from)
	}
	half := -1
	for i, row := range s.rows[:min(maxTitleRows, len(s.rows)-1)] {
		texts := 0
		for _, c := range s.cells[row.from:row.to] {
			if c.isText {
				texts++
			}
		}
		if texts >= widest[i] {
			return i
		}
		if half < 0 && texts == row.to-row.from && texts > 1 && 2*texts >= widest[i] {
			half = i
		}
	}
	return half
}
