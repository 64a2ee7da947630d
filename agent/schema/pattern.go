package schema

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Patterns of JSON schemas are those of ECMA 262. Most of them mean the same to Go's engine,
// which takes time in proportion to the text. What it cannot read, or reads otherwise, goes
// to one that backtracks, within a time for the whole check. What neither reads, or what is
// not done by then, is not checked: whose schema it is will do so.

// backtrackTime bounds what patterns that backtrack take of one check.
const backtrackTime = 200 * time.Millisecond

// budget is the time that the patterns of a schema have left in the check that is being made.
type budget struct {
	mu   sync.Mutex // held by the check
	left time.Duration
	any  bool // there are patterns that need it
}

// begin starts a check. end ends it.
func (b *budget) begin() (end func()) {
	if !b.any {
		return func() {}
	}
	b.mu.Lock()
	b.left = backtrackTime
	return b.mu.Unlock
}

func (b *budget) engine(pattern string) (jsonschema.Regexp, error) {
	switch re := readPattern(pattern).(type) {
	case *regexp.Regexp:
		return re, nil
	case *regexp2.Regexp:
		b.any = true
		return backtracking{re, b}, nil
	default:
		return unread(pattern), nil
	}
}

// readPattern compiles a pattern for the engine that reads it best: a *regexp.Regexp or
// a *regexp2.Regexp, nil if none does.
func readPattern(pattern string) any {
	pattern = property.ReplaceAllString(strings.ReplaceAll(pattern, `\Z`, `\z`), `\$1{$2}`) // \Z is Python's name of the end
	own, err := regexp.Compile(pattern)
	if err == nil && !strings.Contains(strings.ToLower(pattern), `\s`) { // its white space is ASCII
		return own
	}
	if theirs, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode); err == nil {
		return theirs
	}
	if theirs, lax := regexp2.Compile(pattern, regexp2.ECMAScript); lax == nil && err != nil && !onlyUnicode.MatchString(pattern) {
		return theirs
	}
	if err == nil {
		return own
	}
	return nil
}

// property finds \p{Script=Han}, which the engines call \p{Han}.
var property = regexp.MustCompile(`\\([pP])\{(?:Script|sc|Script_Extensions|scx|General_Category|gc)=(\w+)\}`)

// onlyUnicode finds what means something else without the flag u.
var onlyUnicode = regexp.MustCompile(`\\[pPu]\{`)

// backtracking is a pattern whose time is bounded.
type backtracking struct {
	re     *regexp2.Regexp
	budget *budget
}

func (p backtracking) String() string { return p.re.String() }

func (p backtracking) MatchString(s string) bool {
	if p.budget.left <= 0 {
		return true
	}
	p.re.MatchTimeout = p.budget.left
	began := time.Now()
	matched, err := p.re.MatchString(s)
	p.budget.left -= time.Since(began)
	return matched || err != nil
}

// unread is a pattern that no engine reads.
type unread string

func (u unread) String() string        { return string(u) }
func (unread) MatchString(string) bool { return true }
