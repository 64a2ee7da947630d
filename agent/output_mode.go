package agent

// OutputMode is in which portions an answer is shown while it is made.
type OutputMode string

// The output modes.
const (
	OutputToken    OutputMode = "token"
	OutputSentence OutputMode = "sentence"
	OutputWhole    OutputMode = "whole"
)

// OutputModes are the names of all modes.
func OutputModes() []string {
	return []string{string(OutputToken), string(OutputSentence), string(OutputWhole)}
}

// Valid reports whether m is one of the modes, or "", which takes the next wider setting.
func (m OutputMode) Valid() bool {
	return m == "" || m == OutputToken || m == OutputSentence || m == OutputWhole
}
