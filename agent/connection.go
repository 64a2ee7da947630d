package agent

import (
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// Connection is an endpoint that an admin has connected on the Models page or by the
// API, beside those of the configuration.
type Connection struct {
	Name    string
	BaseURL string
	// SealedKey is the key as only this installation can read it, "" for none.
	SealedKey string
	// Version counts the changes: a change names the one that it has seen.
	Version int64
	// Removed says that only the name is left, so that no other endpoint gets what was
	// meant for this one.
	Removed   bool
	ChangedBy string
	ChangedAt time.Time
}

// The bounds of a connection, and of how many there may be.
const (
	MaxConnections   = 20
	maxConnectionURL = 500
	MaxConnectionKey = 4000
)

// connectionName is what a connection may be called: its models are NAME/MODEL.
var connectionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// Check answers Invalid, with the field and what is allowed there.
func (c Connection) Check() error {
	if !connectionName.MatchString(c.Name) {
		return InvalidField("name", "use up to 40 letters, digits, dots, hyphens, and underscores, such as deepseek; models are called NAME/MODEL")
	}
	u, err := url.Parse(c.BaseURL)
	switch {
	case c.BaseURL == "":
		return InvalidField("baseUrl", "is empty; type the address of the API, such as https://api.openai.com/v1")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return InvalidField("baseUrl", "must begin with http:// or https:// and name a host, such as https://api.openai.com/v1")
	case len(c.BaseURL) > maxConnectionURL:
		return InvalidField("baseUrl", "is too long; at most %d characters are allowed", maxConnectionURL)
	case u.User != nil || u.Fragment != "":
		return InvalidField("baseUrl", "leave out the user, the password, and what is behind #; the key has a field of its own")
	}
	for name := range u.Query() {
		if name != "api-version" {
			return InvalidField("baseUrl", "leave out ?%s=…; only api-version may stand there, because addresses are shown and keys are not", Clip(name, 40))
		}
	}
	return nil
}

// Origin is the scheme, host, and port of an address: the key belongs to it and goes nowhere else.
func (c Connection) Origin() string {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// ConnectionURL is an address as people paste it, without what the program adds itself.
func ConnectionURL(typed string) string {
	address, query, _ := strings.Cut(strings.TrimSpace(typed), "?")
	for _, end := range []string{"/", "/chat/completions", "/models", "/"} {
		address = strings.TrimSuffix(address, end)
	}
	if query != "" {
		address += "?" + query
	}
	return address
}

// ConnectionKey is a key as people paste it. Invalid for one that no header can carry.
func ConnectionKey(typed string) (string, error) {
	key := strings.TrimSpace(typed)
	switch {
	case len(key) > MaxConnectionKey:
		return "", InvalidField("key", "is too long; at most %d characters are allowed", MaxConnectionKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) || r == ' ' }):
		return "", InvalidField("key", "has spaces or characters that no key has; paste the key alone")
	}
	return key, nil
}

// EndpointFault is what is wrong with an endpoint, where it is known how to put it right.
type EndpointFault string

// The faults of endpoints.
const (
	FaultRefused     EndpointFault = "refused"      // nothing listens there
	FaultHost        EndpointFault = "unknown_host" // the name does not exist
	FaultTimeout     EndpointFault = "timeout"
	FaultUnreachable EndpointFault = "unreachable" // for another reason
	FaultCertificate EndpointFault = "certificate"
	FaultNoTLS       EndpointFault = "no_tls"   // https to a server that speaks http
	FaultTLSOnly     EndpointFault = "tls_only" // http to a server that speaks https
	FaultRedirect    EndpointFault = "redirect"
	FaultKey         EndpointFault = "key"       // 401
	FaultForbidden   EndpointFault = "forbidden" // 403
	FaultCredit      EndpointFault = "credit"    // 402, or quota that is used up
	FaultAddress     EndpointFault = "address"   // 404 and the like
	FaultBusy        EndpointFault = "busy"      // 429
	FaultFailing     EndpointFault = "failing"   // 5xx
	FaultRejected    EndpointFault = "rejected"  // any other refusal
	FaultNotModels   EndpointFault = "not_models"
	FaultNoModels    EndpointFault = "no_models"
)

// EndpointReport is what came of asking an endpoint for its models, and one of them for
// an answer.
type EndpointReport struct {
	// Models are those that chat.
	Models []string
	// Fault is "" where the endpoint can be used; Said is the endpoint's failure in a
	// sentence, without secrets.
	Fault EndpointFault
	Said  string
	// Better is a similar address at which there is a list of models, "" for none.
	Better string
	// Asked is the model that was asked for an answer, "" for none.
	Asked  string
	Answer Check
}
