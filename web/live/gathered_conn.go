package live

import (
	"bufio"
	"net"
	"net/http"
	"sync"
)

// gatheredBytes is how much is gathered at most before it is sent.
const gatheredBytes = 64 << 10

// gatheredConn is a connection that can send several writes as one: messages that
// are there together cost one system call, and wake their reader once.
type gatheredConn struct {
	net.Conn
	mu        sync.Mutex
	gathering bool
	buf       []byte
}

// gather has writes wait for send.
func (c *gatheredConn) gather() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gathering = true
}

func (c *gatheredConn) send() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gathering = false
	return c.flush()
}

// flush needs mu.
func (c *gatheredConn) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	_, err := c.Conn.Write(c.buf)
	c.buf = nil // a socket that is quiet needs no memory
	return err
}

// Write implements net.Conn.
func (c *gatheredConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gathering {
		return c.Conn.Write(p)
	}
	c.buf = append(c.buf, p...)
	if len(c.buf) < gatheredBytes {
		return len(p), nil
	}
	return len(p), c.flush()
}

// gathering is a response whose connection, once it is hijacked, is a gatheredConn.
type gathering struct {
	http.ResponseWriter
	conn *gatheredConn
}

// Hijack implements http.Hijacker.
func (g *gathering) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(g.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	g.conn = &gatheredConn{Conn: conn}
	return g.conn, rw, nil
}
