package demo

// breaking breaks off its tool call in the middle of a stream. Asked in one
// piece it makes the whole call, and then answers.
func breaking(t turn) answer {
	if s, done := t.last(); done {
		return say(sentences(t, s))
	}
	if !t.may("calculator") {
		return without(t, "calculator")
	}
	a := use(calculate("6*7"))
	a.text, a.breaks = t.in("I calculate that. ", "我来算一下。"), true
	return a
}
