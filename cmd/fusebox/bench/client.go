package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// callTimeout bounds one call, runTimeout one run.
const (
	callTimeout = 30 * time.Second
	runTimeout  = 3 * time.Minute
)

// streamsPerAccount is how many conversations one account reads at once: the server
// bounds it, and shares its capacity between accounts.
const streamsPerAccount = 100

// client uses the server as programs do, with one API token for each account.
type client struct {
	url    string
	tokens []string
	http   *http.Client
}

func newHTTPClient() *http.Client {
	return &http.Client{Timeout: runTimeout, Transport: &http.Transport{MaxIdleConns: 0, MaxIdleConnsPerHost: 1024}}
}

// newRequest is a request with a JSON body.
func newRequest(ctx context.Context, address, token string, body any) (*http.Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode a request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// post makes a call of the API; into gets what it answers.
func (c *client) post(ctx context.Context, token, path string, body, into any) error {
	req, err := newRequest(ctx, c.url+path, token, body)
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the server answers %s to %s: %s", res.Status, path, bytes.TrimSpace(answer))
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("decode the server's answer to %s: %w", path, err)
	}
	return nil
}

type conversation struct {
	client    *client
	id, token string
	socket    *websocket.Conn
}

// open begins a conversation with a model. The number says which account's it is.
func (c *client) open(ctx context.Context, model string, number int) (*conversation, error) {
	token := c.tokens[number/streamsPerAccount%len(c.tokens)]
	var made struct{ ID string }
	if err := c.post(ctx, token, "/api/v1/conversations", map[string]string{"model": model}, &made); err != nil {
		return nil, err
	}
	dialer := websocket.Dialer{HandshakeTimeout: callTimeout, ReadBufferSize: 8 << 10, WriteBufferSize: 1 << 10}
	address := "ws" + strings.TrimPrefix(c.url, "http") + "/ws/conversations/" + made.ID + "?after=0"
	socket, res, err := dialer.DialContext(ctx, address, http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		return nil, fmt.Errorf("open the websocket: %w", err)
	}
	_ = res.Body.Close()
	return &conversation{client: c, id: made.ID, token: token, socket: socket}, nil
}

// openAll opens conversations with a model; all are closed where one cannot be opened.
func (c *client) openAll(ctx context.Context, model string, n int) (open []*conversation, err error) {
	for i := range n {
		one, err := c.open(ctx, model, i)
		if err != nil {
			closeAll(open)
			return nil, err
		}
		open = append(open, one)
	}
	return open, nil
}

func closeAll(open []*conversation) {
	for _, c := range open {
		_ = c.socket.Close()
	}
}

// run posts a message and reads until its run has ended. The socket is closed where
// that fails.
func (c *conversation) run(ctx context.Context, content string) (outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, release := context.WithTimeout(ctx, runTimeout)
	defer release()
	defer context.AfterFunc(ctx, func() { _ = c.socket.Close() })()
	o := outcome{start: time.Now()}
	go func() {
		var made struct{ RunID string }
		if err := c.client.post(ctx, c.token, "/api/v1/conversations/"+c.id+"/messages", map[string]string{"content": content}, &made); err != nil {
			cancel(err)
		}
	}()
	for o.finish.IsZero() {
		_, frame, err := c.socket.ReadMessage()
		if cause := context.Cause(ctx); cause != nil {
			return o, cause
		}
		if err != nil {
			return o, fmt.Errorf("read the websocket: %w", err)
		}
		if err := o.read(frame); err != nil {
			return o, err
		}
	}
	return o, o.err()
}
