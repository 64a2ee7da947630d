package page

// TraceWidth is how many units the time axis of a trace has.
const TraceWidth = 1000

// Trace is what happened in a run, one row per model call, tool, retry and
// wait, all on one time axis.
type Trace struct {
	// Axis labels the lines at every quarter, from the start to the end.
	Axis []string
	// Folded says that long waits are drawn shorter than they were.
	Folded bool
	Rows   []TraceRow
	// More counts the rows that there was no room for.
	More int
	// NoMoney leaves the column of costs out.
	NoMoney bool
}

// TraceRow is one span of time. Kind is its class: model, tool, retry, wait,
// guard or note. Marks of a moment have no duration.
type TraceRow struct {
	Kind string
	Step string
	// StepHref leads to what was thought and said in the step.
	StepHref string
	Label    string
	Note     string
	State    string
	Bad      bool
	X, W     string
	Took     string
	Start    string
	Tokens   string
	Hint     string
	Cost     string
	Href     string
}
