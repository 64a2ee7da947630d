package notify

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// mailServer speaks SMTP as far as it takes to receive mails.
type mailServer struct {
	t        *testing.T
	listener net.Listener
	tls      *tls.Config
	roots    *x509.CertPool
	with     mailHabits
	mails    chan receivedMail
}

// mailHabits is how a server behaves.
type mailHabits struct {
	implicit, startTLS bool
	silent             bool   // it takes connections and says nothing
	user, password     string // what it wants for a login, "" for none
	rcpt, data         string // what it answers in place of 250
	hangUp             bool   // it takes the mail and is gone
}

type receivedMail struct {
	from, to string
	data     string
	secure   bool
	login    string
}

func newMailServer(t *testing.T, with mailHabits) *mailServer {
	t.Helper()
	web := httptest.NewTLSServer(nil) // for its certificate, which is for 127.0.0.1
	t.Cleanup(web.Close)
	s := &mailServer{t: t, tls: web.TLS.Clone(), roots: x509.NewCertPool(), with: with, mails: make(chan receivedMail, 10)}
	s.tls.NextProtos = nil
	s.roots.AddCert(web.Certificate())
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			stop := func() { _ = conn.Close() }
			t.Cleanup(stop)
			open.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() { _ = s.listener.Close() })
	return s
}

// relay is how the server is configured.
func (s *mailServer) relay(scheme, login string) Relay {
	s.t.Helper()
	r, err := ParseRelay(scheme + "://" + login + s.listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// session is one connection.
type session struct {
	s    *mailServer
	conn net.Conn
	text *textproto.Conn
	mail receivedMail
}

func (s *mailServer) serve(conn net.Conn) {
	if s.with.implicit {
		conn = tls.Server(conn, s.tls)
	}
	c := &session{s: s, conn: conn, text: textproto.NewConn(conn)}
	c.mail.secure = s.with.implicit
	defer func() { _ = conn.Close() }()
	if s.with.silent {
		_, _ = bufio.NewReader(conn).ReadByte()
		return
	}
	c.say("220 mail.example.org ready")
	for {
		line, err := c.text.ReadLine()
		if err != nil || !c.command(line) {
			return
		}
	}
}

func (c *session) say(line string) { _ = c.text.PrintfLine("%s", line) }

// command answers one line; false ends the connection.
func (c *session) command(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO":
		c.say("250-mail.example.org")
		if c.s.with.startTLS && !c.mail.secure {
			c.say("250-STARTTLS")
		}
		if c.s.with.user != "" {
			c.say("250-AUTH PLAIN")
		}
		c.say("250 8BITMIME")
	case "STARTTLS":
		c.say("220 go ahead")
		c.conn = tls.Server(c.conn, c.s.tls)
		c.text, c.mail.secure = textproto.NewConn(c.conn), true
	case "AUTH":
		raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
		c.mail.login = string(raw)
		if c.mail.login != fmt.Sprintf("\x00%s\x00%s", c.s.with.user, c.s.with.password) {
			c.say("535 5.7.8 wrong: " + string(raw[1:]) + " " + rest)
			return true
		}
		c.say("235 ok")
	case "MAIL":
		c.mail.from = rest
		c.say("250 ok")
	case "RCPT":
		c.mail.to = rest
		c.say(or(c.s.with.rcpt, "250 ok"))
	case "DATA":
		return c.receive()
	case "QUIT":
		c.say("221 bye")
		return false
	default:
		c.say("250 ok")
	}
	return true
}

func (c *session) receive() bool {
	c.say("354 end with a point")
	lines, err := c.text.ReadDotLines()
	if err != nil {
		return false
	}
	if c.s.with.data != "" {
		c.say(c.s.with.data)
		return true
	}
	c.say("250 taken")
	c.mail.data = strings.Join(lines, "\r\n")
	c.s.mails <- c.mail
	return !c.s.with.hangUp
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
