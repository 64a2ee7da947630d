package wire

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"fusebox/agent"
)

// maxRaw bounds what is kept of each body. maxKey is longer than any key: so much behind
// it is read, and left out again, since its end may be half a key.
const (
	maxRaw = 256 << 10
	maxKey = 4 << 10
)

type runKey struct{}

// WithRun tells the Recorder which run a request belongs to.
func WithRun(ctx context.Context, runID string) context.Context {
	return context.WithValue(ctx, runKey{}, runID)
}

// RawLog records what goes over the wire, without secrets; a nil one nothing.
type RawLog struct {
	Add     func(agent.Exchange)
	Clock   agent.Clock
	Secrets Secrets
}

// Recorder follows one exchange; a nil one follows nothing.
type Recorder struct {
	log *RawLog
	x   agent.Exchange
}

// Record begins to follow a request that belongs to a run.
func (l *RawLog) Record(req *http.Request) *Recorder {
	run, _ := req.Context().Value(runKey{}).(string)
	if l == nil || run == "" {
		return nil
	}
	at := *req.URL
	at.RawQuery = ""
	r := &Recorder{log: l, x: agent.Exchange{RunID: run, At: l.Clock.Now(), URL: at.String()}}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			raw, _ := io.ReadAll(io.LimitReader(body, maxRaw+maxKey)) // what cannot be read is not kept
			r.x.Request = r.keep(raw)
		}
	}
	return r
}

func (r *Recorder) keep(raw []byte) string {
	text := r.log.Secrets.scrub(string(raw))
	if len(raw) > maxRaw {
		text, r.x.Cut = text[:min(maxRaw, max(len(text)-maxKey, 0))], true
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Failed ends the exchange: there was no answer.
func (r *Recorder) Failed(err error) {
	if r == nil {
		return
	}
	r.x.Error = clip(r.log.Secrets.scrub(err.Error()))
	r.log.Add(r.x)
}

// Answered keeps what is read of the answer, until it is closed.
func (r *Recorder) Answered(res *http.Response) {
	if r == nil {
		return
	}
	r.x.Status = res.StatusCode
	res.Body = &recordedBody{ReadCloser: res.Body, rec: r}
}

type recordedBody struct {
	io.ReadCloser
	rec  *Recorder
	kept bytes.Buffer
	done bool
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.kept.Write(p[:min(n, maxRaw+maxKey-b.kept.Len())])
	return n, err
}

func (b *recordedBody) Close() error {
	if !b.done {
		b.done = true
		b.rec.x.Response = b.rec.keep(b.kept.Bytes())
		b.rec.log.Add(b.rec.x)
	}
	return b.ReadCloser.Close()
}
