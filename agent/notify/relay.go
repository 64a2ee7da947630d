package notify

import (
	"errors"
	"net"
	"net/url"
	"strconv"
)

// Relay is a mail server that takes e-mails.
type Relay struct {
	Host           string
	Port           int
	User, Password string
	// Implicit says that the connection is encrypted from its first byte, Plain
	// that it is not encrypted at all. Else STARTTLS is required.
	Implicit, Plain bool
}

// ParseRelay reads smtp://user:password@host:587 (STARTTLS), smtps://… (TLS from
// the first byte) or smtp+plain://host:25 (neither, for a relay on this machine
// or network). Its errors contain nothing of the text, because it includes a password.
func ParseRelay(text string) (Relay, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Relay{}, errors.New("cannot be read as an address")
	}
	r := Relay{Host: u.Hostname(), User: u.User.Username()}
	r.Password, _ = u.User.Password()
	switch u.Scheme {
	case "smtp":
		r.Port = 587
	case "smtps":
		r.Port, r.Implicit = 465, true
	case "smtp+plain":
		r.Port, r.Plain = 25, true
	default:
		return Relay{}, errors.New("does not begin with smtp://, smtps:// or smtp+plain://")
	}
	if u.Port() != "" {
		if r.Port, err = strconv.Atoi(u.Port()); err != nil || r.Port < 1 || r.Port > 65535 {
			return Relay{}, errors.New("has no port from 1 to 65535")
		}
	}
	switch {
	case r.Host == "":
		return Relay{}, errors.New("names no host")
	case u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
		return Relay{}, errors.New("has something after the host and port; write / ? # and @ of a password as %2F %3F %23 and %40")
	case r.Plain && u.User != nil:
		return Relay{}, errors.New("would send a password without encryption; use smtp:// or smtps://")
	}
	return r, nil
}

// Address is the host and port, for people.
func (r Relay) Address() string { return net.JoinHostPort(r.Host, strconv.Itoa(r.Port)) }
