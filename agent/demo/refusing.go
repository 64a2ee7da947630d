package demo

import (
	"crypto/sha256"
	"sync"
)

// refusedTimes is how often the retry test is refused before it is answered.
const refusedTimes = 3

// refusing is answered only after some refusals.
func refusing(t turn) (answer, bool) {
	if !t.says("test retry", "测试重试", "測試重試") {
		return answer{}, false
	}
	a := say(t.in(
		"Here is the answer, after three refusals that you should have seen as three waits.",
		"这是答案。在此之前我拒绝了三次，您应该看到了三次等待。"))
	a.refusals = refusedTimes
	return a, true
}

// maxRemembered bounds how many requests a refuser counts at a time.
const maxRemembered = 1024

// refuser counts how often each request was refused. A request is known by its
// body: a client that tries again sends the same one, and a person who asks
// again sends a longer history.
type refuser struct {
	mu    sync.Mutex
	count map[[sha256.Size]byte]int
}

// refuse reports whether the request is to be refused once more. After the
// last refusal the request is forgotten, so the same one starts again.
func (r *refuser) refuse(body []byte, times int) bool {
	key := sha256.Sum256(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil || len(r.count) >= maxRemembered {
		r.count = make(map[[sha256.Size]byte]int)
	}
	if r.count[key] >= times {
		delete(r.count, key)
		return false
	}
	r.count[key]++
	return true
}
