package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"fusebox/agent"
)

// EmailOptions say how e-mails go out.
type EmailOptions struct {
	Relay Relay
	// From is the sender's address, with or without a name.
	From string
	// PublicURL is where people reach this server, without a slash at its end.
	PublicURL string
	// Write writes the letter of a notification, with links to the server at base, for
	// a reader of the language lang; "" is English.
	Write func(p agent.NotifyPayload, base, lang string, now time.Time) (Letter, error)
	Clock agent.Clock
	// RootCAs are trusted for TLS; nil takes the system's.
	RootCAs *x509.CertPool
}

// Letter is an e-mail as it is sent. Subject has one line.
type Letter struct{ Subject, Text, HTML string }

// Email sends deliveries as e-mails, each over a connection of its own.
type Email struct {
	EmailOptions
	from    *netmail.Address
	secrets secrets
}

var _ Sender = (*Email)(nil)

// NewEmail makes the channel. It does not connect yet.
func NewEmail(o EmailOptions) (*Email, error) {
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, errors.New("the sender is not an e-mail address, such as Fusebox <fusebox@example.org>")
	}
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	r := o.Relay
	words := newSecrets(r.Password, b64(r.Password), b64("\x00"+r.User+"\x00"+r.Password))
	if r.Password == "" {
		words = nil
	}
	return &Email{EmailOptions: o, from: from, secrets: words}, nil
}

// Channel implements Sender.
func (e *Email) Channel() agent.Channel { return agent.ChannelEmail }

// Close implements Sender.
func (e *Email) Close() {}

// emailTimeout bounds the conversation with the mail server.
const emailTimeout = 25 * time.Second

// Send implements Sender.
func (e *Email) Send(ctx context.Context, d agent.Delivery) error {
	m, err := e.message(d)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, emailTimeout)
	defer cancel()
	client, err := e.client(ctx)
	if err != nil {
		return &failure{problem: "The mail server's settings cannot be used.", final: true}
	}
	err = client.DialAndSendWithContext(ctx, m)
	if err == nil || m.IsDelivered() { // what goes wrong after the mail was taken is not the mail's
		return nil
	}
	return e.failure(ctx, err)
}

// failure says why a mail was not sent. What a server refuses permanently stays
// refused; problems with the connection or the login may be fixed.
func (e *Email) failure(ctx context.Context, err error) error {
	f := &failure{problem: "The mail server rejected it: " + e.secrets.clean(err.Error())}
	var refused *mail.SendError
	switch {
	case ctx.Err() != nil:
		f.problem = "The mail server did not answer in time."
	case errors.As(err, &refused):
		f.final = refused.ErrorCode() >= 500 && (refused.Reason == mail.ErrSMTPRcptTo || refused.Reason == mail.ErrSMTPDataClose)
	}
	return f
}

// client makes a connection's settings. It dials on its own: the library would
// wait for a silent server without end.
func (e *Email) client(ctx context.Context) (*mail.Client, error) {
	r := e.Relay
	config := &tls.Config{ServerName: r.Host, RootCAs: e.RootCAs, MinVersion: tls.VersionTLS12}
	options := []mail.Option{
		mail.WithPort(r.Port), mail.WithTimeout(emailTimeout), mail.WithTLSConfig(config), mail.WithoutNoop(),
		mail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			var d interface {
				DialContext(ctx context.Context, network, address string) (net.Conn, error)
			} = &net.Dialer{}
			if r.Implicit {
				d = &tls.Dialer{Config: config}
			}
			conn, err := d.DialContext(dialing, network, address)
			if err == nil {
				context.AfterFunc(ctx, func() { _ = conn.Close() }) // the connection ends with the try
			}
			return conn, err
		}),
	}
	switch {
	case r.Plain:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	case r.Implicit: // encrypted already, which the library sees for itself
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if r.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(r.User), mail.WithPassword(r.Password))
	}
	return mail.NewClient(r.Host, options...)
}

func (e *Email) message(d agent.Delivery) (*mail.Msg, error) {
	var p agent.NotifyPayload
	if err := json.Unmarshal(d.Payload, &p); err != nil {
		return nil, &failure{problem: "The notification cannot be read.", final: true}
	}
	to, err := netmail.ParseAddress(d.Receiver)
	if err != nil || to.Address != d.Receiver {
		return nil, &failure{problem: "The recipient is not an e-mail address.", final: true}
	}
	letter, err := e.Write(p, e.PublicURL, d.Language, e.Clock.Now())
	if err != nil {
		return nil, &failure{problem: "The e-mail cannot be written.", final: true}
	}
	m := mail.NewMsg(mail.WithNoDefaultUserAgent())
	m.FromMailAddress(e.from)
	m.ToMailAddress(to)
	m.Subject(letter.Subject)
	m.SetDateWithValue(e.Clock.Now())
	m.SetMessageIDWithValue(d.ID + "@" + e.domain())
	if d.ApprovalID != "" { // what is about one approval is one thread
		m.SetGenHeader(mail.HeaderReferences, "<approval."+d.ApprovalID+"@"+e.domain()+">")
	}
	m.SetGenHeader(HeaderDelivery, d.ID)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader(mail.HeaderXAutoResponseSuppress, "All")
	m.SetBodyString(mail.TypeTextPlain, letter.Text)
	m.AddAlternativeString(mail.TypeTextHTML, letter.HTML)
	return m, nil
}

// domain is what follows the @ of the sender.
func (e *Email) domain() string {
	return e.from.Address[strings.LastIndex(e.from.Address, "@")+1:]
}
