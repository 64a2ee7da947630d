package live

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/address"
	"fusebox/web/request"
)

// The bounds of every socket.
const (
	maxSocketRead    = 4 << 10
	socketPing       = 10 * time.Second // proxies cut what is silent, some after half a minute
	socketSilence    = 60 * time.Second
	SocketWrite      = 10 * time.Second
	socketWriteBytes = 16 << 10
	// Peers send pings, pongs and their goodbye, nothing that is read for its content.
	socketReadBytes = 512
)

// socket is one open websocket. One goroutine writes messages, one reads; pings
// and close may come from anywhere.
type socket struct {
	conn *websocket.Conn
	wire *gatheredConn // below conn
	once sync.Once
	json []byte // what was written last, to be used again

	mu    sync.Mutex
	pings *time.Timer
}

func (k *socket) close() {
	k.once.Do(func() {
		k.mu.Lock()
		k.pings.Stop()
		k.mu.Unlock()
		// The peer may never read: ask for little time to say goodbye, then hang up.
		_ = k.conn.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(time.Second))
		_ = k.conn.Close()
	})
}

// mayUpgrade refuses what is no handshake of this site. The Origin must be the
// site's own; only programs with an API token may leave it out.
func (s *Sockets) mayUpgrade(c echo.Context) error {
	origin := c.Request().Header.Get("Origin")
	if origin == "" && !request.ByBearer(c) || origin != "" && !s.Address.OwnOrigin(origin, c.Request().Host) {
		return agent.Errorf(agent.Forbidden, "A websocket can be opened by pages of this site only.")
	}
	if !websocket.IsWebSocketUpgrade(c.Request()) {
		return &request.BadRequest{Status: http.StatusUpgradeRequired, Err: agent.Errorf(agent.Invalid, "This address speaks websocket.")}
	}
	return nil
}

// writeBuffers are shared: a socket needs one only while it writes.
var writeBuffers sync.Pool

func upgrade(c echo.Context) (*socket, error) {
	up := websocket.Upgrader{
		HandshakeTimeout: SocketWrite, ReadBufferSize: socketReadBytes, WriteBufferSize: socketWriteBytes, WriteBufferPool: &writeBuffers,
		CheckOrigin: func(*http.Request) bool { return true }, // mayUpgrade has, with an answer people can read
		Error:       func(http.ResponseWriter, *http.Request, int, error) {},
	}
	w := &gathering{ResponseWriter: c.Response()}
	conn, err := up.Upgrade(w, c.Request(), nil)
	if err != nil {
		return nil, &request.BadRequest{Status: http.StatusBadRequest, Err: agent.Wrap(agent.Invalid, err, "This is no complete websocket handshake.")}
	}
	// The handshake was the answer: nothing may follow it by HTTP.
	c.Response().Status, c.Response().Committed = http.StatusSwitchingProtocols, true
	k := &socket{conn: conn, wire: w.conn}
	k.pingLater()
	return k, nil
}

// listen reads so that pings, pongs and the end are noticed. Readers of events
// have nothing to say: their messages are dropped, too long ones end the socket.
func (k *socket) listen(end context.CancelFunc) {
	defer end()
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

// write sends messages together; a peer that does not read loses the socket.
func (k *socket) write(messages ...any) error {
	if err := k.conn.SetWriteDeadline(time.Now().Add(SocketWrite)); err != nil {
		return err
	}
	if len(messages) == 1 {
		return k.add(messages[0])
	}
	k.wire.gather()
	for _, m := range messages {
		if err := k.add(m); err != nil {
			return err
		}
	}
	return k.wire.send()
}

// add writes one message as JSON; events have it nearly ready.
func (k *socket) add(v any) error {
	var text []byte
	var err error
	if e, isEvent := v.(*agent.Event); isEvent {
		text, err = e.AppendJSON(k.json[:0])
	} else {
		text, err = json.Marshal(v)
	}
	text = append(text, '\n')
	if cap(text) <= socketWriteBytes {
		k.json = text
	}
	if err != nil {
		return err
	}
	return k.conn.WriteMessage(websocket.TextMessage, text)
}

// pingLater asks the peer for a sign of life from time to time.
func (k *socket) pingLater() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pings = time.AfterFunc(socketPing, func() {
		if k.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(SocketWrite)) != nil {
			k.close()
			return
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.pings.Reset(socketPing)
	})
}

// sender sends messages to a socket, several of them as one piece.
type sender func(messages ...any) error

// linked puts the links of what pages are sent as the site's address has them.
func (s *Sockets) linked(send sender) sender {
	if s.Address.AtRoot() {
		return send
	}
	return func(messages ...any) error {
		for i, m := range messages {
			if batch, isPage := m.(htmlBatch); isPage {
				messages[i] = batch.linked(s.Address)
			}
		}
		return send(messages...)
	}
}

// feed upgrades a request and has what follow hands over written, until one of both
// sides or the right to read ends. It does not wait for that: a handler that has
// returned leaves its stack and the buffers of its request behind, and an open socket is
// little more than its connection. follow must not use the request any more.
func (s *Sockets) feed(c echo.Context, follow func(ctx context.Context, send sender) error) error {
	if err := s.mayUpgrade(c); err != nil {
		return err
	}
	ctx, release, err := s.Streams.OpenStream(context.WithoutCancel(c.Request().Context()), c)
	if err != nil {
		return err
	}
	k, err := upgrade(c)
	if err != nil {
		release()
		return err
	}
	path := c.Path()
	s.Open.Add(1)
	go func() {
		defer release()
		defer s.Open.Add(-1)
		s.serve(ctx, k, path, follow)
	}()
	return nil
}

// serve has a socket written until its end.
func (s *Sockets) serve(ctx context.Context, k *socket, path string, follow func(ctx context.Context, send sender) error) {
	defer k.close()
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(ctx, k.close)()
	defer context.AfterFunc(s.Closing, end)()
	go k.listen(end)
	err := request.Caught(s.Logger, path, func() error { return follow(ctx, s.linked(k.write)) })
	if err != nil && ctx.Err() == nil {
		s.Logger.Debug("a reader of events ended", "path", path, "error", err)
	}
}

// Sockets serve websockets.
type Sockets struct {
	Closing context.Context
	Logger  *slog.Logger
	Streams *Streams
	Open    atomic.Int64
	Address address.Site
}
