package web

// plural counts things: 1 run, 2 runs.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return tokens(n) + " " + many
}
