package measure

// Tally counts the cases in which a detector, or all of them, were right or wrong.
type Tally struct {
	// Right are loud cases that were found, Missed those that were not.
	Right  int `json:"right"`
	Missed int `json:"missed"`
	// Wrong are quiet cases in which it spoke, Silent those in which it did not.
	Wrong  int `json:"wrong"`
	Silent int `json:"silent"`
	// Unlabelled are cases without a label in which it spoke.
	Unlabelled int `json:"unlabelled"`

	// Precision is how many of the labelled cases in which it spoke were loud, and
	// Recall how many of the loud cases it found; nil where there are none.
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
}

// add counts a case with the label.
func (t *Tally) add(label string, spoke bool) {
	switch {
	case label == loud && spoke:
		t.Right++
	case label == loud:
		t.Missed++
	case label == quiet && spoke:
		t.Wrong++
	case label == quiet:
		t.Silent++
	case spoke:
		t.Unlabelled++
	}
}

func (t *Tally) finish() {
	t.Precision, t.Recall = share(t.Right, t.Wrong), share(t.Right, t.Missed)
}

func share(part, rest int) *float64 {
	if part+rest == 0 {
		return nil
	}
	s := float64(part) / float64(part+rest)
	return &s
}

// spoke reports whether there is anything to say about a detector.
func (t Tally) spoke() bool { return t.Right+t.Wrong+t.Unlabelled > 0 }
