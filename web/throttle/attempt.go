package throttle

import "time"

// The bounds of tries at an account where others have failed too often: so many from one
// address within an hour, failures before that included, and so many in all. With fewer in
// all, a handful of addresses could lock a person out; without a bound, guessing had none.
const (
	maxPair    = 3
	maxLate    = 100
	lateWindow = time.Hour
)

// Attempt is one try to sign in. It counts as failed from its beginning.
type Attempt struct {
	logins *Logins
	// account is the key of the account, or of the browser that it has signed in with before.
	account string
	// address and pair are those of a stranger, "" for a browser that is known.
	address, pair string
	// late is how long others have to wait meanwhile, 0 where they have not.
	late time.Duration
}

// Begin lets a try begin, or says how long to wait: in a browser that is known, by its
// device, or from an address. Failures of others keep nobody from trying at an address where
// few have failed.
func (l *Logins) Begin(email, ip, device string) (*Attempt, time.Duration) {
	if device != "" {
		a := &Attempt{logins: l, account: "device:" + device}
		return a, l.Try(a.account)
	}
	a := &Attempt{logins: l, account: AccountKey(email), address: AddressKey(ip)}
	a.pair = a.account + a.address
	wait := l.Try(a.account, a.address)
	if wait == 0 {
		l.pairs.fail(a.pair)
		return a, 0
	}
	if l.wait(a.address) > 0 || !l.letThrough(a) {
		return nil, wait
	}
	a.late = wait
	return a, 0
}

// letThrough notes a late try, unless there were too many.
func (l *Logins) letThrough(a *Attempt) bool {
	l.letting.Lock()
	defer l.letting.Unlock()
	if l.pairs.wait(a.pair) > 0 || l.late.wait(a.account) > 0 {
		return false
	}
	l.fail(a.address)
	l.pairs.fail(a.pair)
	l.late.fail(a.account)
	return true
}

// Passed is for the right password: the failures of the account are forgotten.
func (a *Attempt) Passed() {
	a.logins.Clear(a.account)
	a.logins.tries.Passed(a.address)
	a.logins.pairs.Clear(a.pair)
	if a.late > 0 {
		a.logins.late.Passed(a.account)
	}
}

// TakeBack is for a try that was not judged.
func (a *Attempt) TakeBack() {
	a.logins.tries.Passed(a.address)
	a.logins.pairs.Passed(a.pair)
	if a.late > 0 {
		a.logins.late.Passed(a.account)
	} else {
		a.logins.tries.Passed(a.account)
	}
}

// Failed is how long to wait after a wrong password, 0 for not at all. Who was let through
// hears what they would have heard otherwise.
func (a *Attempt) Failed() time.Duration { return a.late }
