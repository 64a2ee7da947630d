package agent

import "time"

// Exchange is one request to a model's endpoint over the wire and what came
// back, with secrets redacted. Headers are left out: they contain the key and
// nothing of interest.
type Exchange struct {
	ID       string
	RunID    string
	At       time.Time
	URL      string // without its query
	Request  string
	Status   int // 0 where no answer came
	Response string
	Cut      bool   // one of the bodies was longer than is kept
	Error    string // of the transport
}
