package live

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// The bounds of every socket.
const (
	maxSocketRead    = 4 << 10
	socketPing       = 25 * time.Second
	socketSilence    = 60 * time.Second
	SocketWrite      = 10 * time.Second
	socketWriteBytes = 16 << 10
)

// socket is one open websocket. One goroutine writes, one reads; close may be
// called by anybody.
type socket struct {
	conn *websocket.Conn
	gone chan struct{}
	once sync.Once
}

func (k *socket) close() {
	k.once.Do(func() {
		close(k.gone)
		// The peer may never read: ask for little time to say goodbye, then hang up.
		_ = k.conn.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(time.Second))
		_ = k.conn.Close()
	})
}

// mayUpgrade refuses what is no handshake of this site. The Origin must be the
// site's own; only programs with an API token may leave it out.
func mayUpgrade(c echo.Context) error {
	if !originFits(c.Request(), request.ByBearer(c)) {
		return agent.Errorf(agent.Forbidden, "A websocket can be opened by pages of this site only.")
	}
	if !websocket.IsWebSocketUpgrade(c.Request()) {
		return &request.BadRequest{Status: http.StatusUpgradeRequired, Err: agent.Errorf(agent.Invalid, "This address speaks websocket.")}
	}
	return nil
}

// upgrade turns a request into a socket.
func upgrade(c echo.Context) (*socket, error) {
	up := websocket.Upgrader{
		HandshakeTimeout: SocketWrite, WriteBufferSize: socketWriteBytes,
		CheckOrigin: func(*http.Request) bool { return true }, // mayUpgrade has, with an answer people can read
		Error:       func(http.ResponseWriter, *http.Request, int, error) {},
	}
	conn, err := up.Upgrade(c.Response(), c.Request(), nil)
	if err != nil {
		return nil, &request.BadRequest{Status: http.StatusBadRequest, Err: agent.Wrap(agent.Invalid, err, "This is no complete websocket handshake.")}
	}
	// The handshake was the answer: nothing may follow it by HTTP.
	c.Response().Status, c.Response().Committed = http.StatusSwitchingProtocols, true
	k := &socket{conn: conn, gone: make(chan struct{})}
	go k.listen()
	return k, nil
}

func originFits(r *http.Request, bearer bool) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return bearer
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// listen reads so that pings, pongs and the end are noticed. Readers of events
// have nothing to say: their messages are dropped, too long ones end the socket.
func (k *socket) listen() {
	defer k.close()
	k.conn.SetReadLimit(maxSocketRead)
	alive := func(string) error { return k.conn.SetReadDeadline(time.Now().Add(socketSilence)) }
	if alive("") != nil {
		return
	}
	k.conn.SetPongHandler(alive)
	for {
		if _, _, err := k.conn.NextReader(); err != nil {
			return
		}
	}
}

// write sends one message; a peer that does not read loses the socket.
func (k *socket) write(v any) error {
	if err := k.conn.SetWriteDeadline(time.Now().Add(SocketWrite)); err != nil {
		return err
	}
	return k.conn.WriteJSON(v)
}

func (k *socket) ping() error {
	return k.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(SocketWrite))
}

// feed upgrades a request and sends what follow hands over, until one of both
// sides or the right to read ends. follow runs in a goroutine of its own, which
// ends with the socket.
func (s *Sockets) feed(c echo.Context, follow func(ctx context.Context, send func(any) error) error) error {
	if err := mayUpgrade(c); err != nil {
		return err
	}
	ctx, release, err := s.Streams.OpenStream(c)
	if err != nil {
		return err
	}
	defer release()
	k, err := upgrade(c)
	if err != nil {
		return err
	}
	s.Open.Add(1)
	defer s.Open.Add(-1)
	context.AfterFunc(ctx, k.close)
	out := make(chan any)
	send := func(msg any) error {
		select {
		case out <- msg:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() {
		defer close(out)
		err := request.Caught(s.Logger, c.Path(), func() error { return follow(ctx, send) })
		if err != nil && ctx.Err() == nil {
			s.Logger.Debug("a reader of events ended", "path", c.Path(), "error", err)
		}
	}()
	s.serve(k, out)
	return nil
}

// serve is the socket's one writer.
func (s *Sockets) serve(k *socket, next <-chan any) {
	defer k.close()
	tick := time.NewTicker(socketPing)
	defer tick.Stop()
	for {
		select {
		case <-k.gone:
			return
		case <-s.Closing.Done():
			return
		case msg, open := <-next:
			if !open || k.write(msg) != nil {
				return
			}
		case <-tick.C:
			if k.ping() != nil {
				return
			}
		}
	}
}

// Sockets serve websockets.
type Sockets struct {
	Closing context.Context
	Logger  *slog.Logger
	Streams *Streams
	Open    atomic.Int64
}
