package page

// The box every chart is drawn in. The picture is stretched to its place, so
// these are units, not pixels; labels stand outside of it as text.
const (
	ChartWidth  = 1000
	ChartHeight = 240
)

// Chart is a stacked bar chart over time, laid out and ready to be drawn.
type Chart struct {
	Title string
	Desc  string
	// Ticks label the horizontal lines, the highest first; they are evenly spaced.
	Ticks []string
	// Marks label the time axis, evenly spaced from its first column on.
	Marks  []ChartMark
	Series []ChartSeries
	// Line is a limit across the chart, nil for none.
	Line    *ChartLine
	Columns []ChartColumn
}

// ChartMark labels a column; At is the middle of it, in per cent of the width.
type ChartMark struct{ At, Label string }

// ChartLine is a limit, drawn across all columns.
type ChartLine struct{ Y, Label string }

// ChartSeries is one colour of the stack. Path draws all its bars at once: a
// year of days by eight models would be thousands of elements otherwise.
type ChartSeries struct {
	Name  string
	Class string
	Total string
	Path  string
}

// ChartColumn is one span of time: what the pointer meets, and a row of the table.
type ChartColumn struct {
	X, Width string
	Label    string
	Hint     string
	Total    string
	// Cells are the values by series, in the order of Chart.Series.
	Cells []string
	Empty bool
}
