package present

// Plural counts things: 1 run, 2 runs.
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Tokens(n) + " " + many
}
