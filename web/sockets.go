package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// The bounds of every socket.
const (
	maxSocketRead    = 4 << 10
	socketPing       = 25 * time.Second
	socketSilence    = 60 * time.Second
	socketWrite      = 10 * time.Second
	maxUserSockets   = 40
	socketWriteBytes = 16 << 10
)

// sockets knows the open sockets by user and session, so that they close when
// the right to them ends.
type sockets struct {
	mu  sync.Mutex
	all map[*socket]struct{}
}

func newSockets() *sockets { return &sockets{all: map[*socket]struct{}{}} }

// socket is one open websocket. One goroutine writes, one reads; close may be
// called by anybody.
type socket struct {
	conn          *websocket.Conn
	user, session string
	gone          chan struct{}
	once          sync.Once
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

// closeUser closes all sockets of an account whose rights have changed.
func (x *sockets) closeUser(userID string) {
	x.closeIf(func(k *socket) bool { return k.user == userID })
}

// closeSession closes the sockets that were opened with a session.
func (x *sockets) closeSession(token string) {
	if token != "" {
		x.closeIf(func(k *socket) bool { return k.session == token })
	}
}

func (x *sockets) closeIf(match func(*socket) bool) {
	x.mu.Lock()
	var found []*socket
	for k := range x.all {
		if match(k) {
			found = append(found, k)
		}
	}
	x.mu.Unlock()
	for _, k := range found {
		k.close()
	}
}

// add registers a socket; false where its user has too many.
func (x *sockets) add(k *socket) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for other := range x.all {
		if other.user == k.user {
			n++
		}
	}
	if n >= maxUserSockets {
		return false
	}
	x.all[k] = struct{}{}
	return true
}

func (x *sockets) remove(k *socket) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.all, k)
}

// upgrade turns a request into a socket. The Origin must be this site's own;
// only programs with an API token may leave it out.
func (s *Server) upgrade(c echo.Context) (*socket, error) {
	if !originFits(c.Request(), byBearer(c)) {
		return nil, agent.Errorf(agent.Forbidden, "A websocket can be opened by pages of this site only.")
	}
	if !websocket.IsWebSocketUpgrade(c.Request()) {
		return nil, &badRequest{http.StatusUpgradeRequired, agent.Errorf(agent.Invalid, "This address speaks websocket.")}
	}
	up := websocket.Upgrader{
		HandshakeTimeout: socketWrite, WriteBufferSize: socketWriteBytes,
		CheckOrigin: func(*http.Request) bool { return true }, // checked above, with an answer people can read
		Error:       func(http.ResponseWriter, *http.Request, int, error) {},
	}
	conn, err := up.Upgrade(c.Response(), c.Request(), nil)
	if err != nil {
		return nil, &badRequest{http.StatusBadRequest, agent.Wrap(agent.Invalid, err, "This is no complete websocket handshake.")}
	}
	k := &socket{conn: conn, user: viewerOf(c).UserID, gone: make(chan struct{})}
	if !byBearer(c) {
		k.session = s.sessions.Token(c.Request().Context())
	}
	if !s.sockets.add(k) {
		k.close()
		return nil, agent.Errorf(agent.Conflict, "Too many open sockets. Close some pages.")
	}
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
	if err := k.conn.SetWriteDeadline(time.Now().Add(socketWrite)); err != nil {
		return err
	}
	return k.conn.WriteJSON(v)
}

func (k *socket) ping() error {
	return k.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(socketWrite))
}

// feed upgrades a request and sends what follow hands over, until one of both
// sides ends. follow runs in a goroutine of its own, which ends with the socket.
func (s *Server) feed(c echo.Context, follow func(ctx context.Context, send func(any) error) error) error {
	k, err := s.upgrade(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Request().Context()))
	defer cancel()
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
		if err := follow(ctx, send); err != nil && ctx.Err() == nil {
			s.Logger.Debug("a reader of events ended", "path", c.Path(), "error", err)
		}
	}()
	s.serve(k, viewerOf(c), out)
	return nil
}

// serve is the socket's one writer. Every ping also asks whether the viewer
// still has his rights.
func (s *Server) serve(k *socket, viewer agent.Viewer, next <-chan any) {
	defer s.sockets.remove(k)
	defer k.close()
	tick := time.NewTicker(socketPing)
	defer tick.Stop()
	for {
		select {
		case <-k.gone:
			return
		case <-s.closing.Done():
			return
		case msg, open := <-next:
			if !open || k.write(msg) != nil {
				return
			}
		case <-tick.C:
			if k.ping() != nil || !s.stillEntitled(viewer) {
				return
			}
		}
	}
}

// stillEntitled catches what no event told of, such as a role that another
// process changed.
func (s *Server) stillEntitled(v agent.Viewer) bool {
	u, err := s.Store.UserByID(s.closing, v.UserID)
	return err == nil && !u.Disabled && u.Role == v.Role
}
