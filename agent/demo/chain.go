package demo

import (
	"fmt"
	"regexp"
	"strconv"
)

// maxChain bounds how many calls one answer makes.
const maxChain = 32

var chainWords = regexp.MustCompile(`(?:test chain|测试链|測試鏈) ?(\d+)`)

// chain makes as many calls in one answer as the person names, and lists
// their results.
func chain(t turn) (answer, bool) {
	found := chainWords.FindStringSubmatch(t.plain)
	if found == nil {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(sentences(t, s)), true
	}
	if !t.may("calculator") {
		return without(t, "calculator"), true
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n > maxChain {
		n = maxChain
	}
	calls := make([]call, max(n, 1))
	for i := range calls {
		calls[i] = calculate(fmt.Sprintf("%d+%d", len(calls), i+1))
	}
	return use(calls...), true
}
