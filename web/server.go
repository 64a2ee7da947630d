package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/address"
	"fusebox/web/hub"
	"fusebox/web/live"
	"fusebox/web/page"
	"fusebox/web/request"
	"fusebox/web/session"
	"fusebox/web/site"
)

// Options are what the server is made of; everything but Hosts, Secure and
// SetupCode is required.
type Options struct {
	service.Options
	Sessions scs.CtxStore
	Hub      *hub.Hub
	// FileLimits bound what people upload.
	FileLimits agent.FileLimits
	// Samples says that tools have sample data until the program is started again.
	Samples bool
	// RawLog says that raw exchanges with models are recorded.
	RawLog bool
	// SetupCode opens /setup as long as there is no account.
	SetupCode string
	// Zone is where the days, weeks and months of budgets begin; nil is UTC.
	Zone *time.Location
	// PolicyRules are those of the configuration. Usual says what becomes of a
	// tool's calls in a mode as long as nothing is special about them.
	PolicyRules []agent.PolicyRule
	Usual       func(agent.ToolSpec, agent.ApprovalMode) agent.PolicyVerdict
	// ToolServers are the servers of tools that are configured.
	ToolServers service.ToolServers
	// OpenAPI are the configured services with an OpenAPI document.
	OpenAPI service.OpenAPISources
	// LeftOutTools are the tools that endpoints refuse to offer to models.
	LeftOutTools func() []agent.LeftOutTool
	// Walls are what is kept from the programs of tools.
	Walls agent.Walls
	// Hosts are the names, besides loopback and addresses, that requests may be made to.
	Hosts []string
	// URL is where people reach the server; a path in it goes before all links.
	URL string
	// TrustedProxies are believed about where a request comes from.
	TrustedProxies address.Proxies
	// Metrics answers GET /metrics, to MetricsToken too where there is one.
	Metrics      http.Handler
	MetricsToken string
	// Notify has the channels by which people are notified.
	Notify page.NotifyInfo
	// Secure marks cookies for HTTPS only.
	Secure bool
	// RequestsPerSecond is what one person may ask for; 0 is no limit.
	RequestsPerSecond int
	// DatabaseFault is what is damaged in the database, "" for nothing; nil is not known.
	DatabaseFault func() string
	// Secret signs cookies. Without one they are of use until the process ends.
	Secret  []byte
	Version string
}

// Server answers requests. Close ends its streams and sockets.
type Server struct {
	Options
	echo       *echo.Echo
	sessions   *session.Sessions
	visibility *request.Visibility
	sockets    *live.Sockets
	site       *site.Site
	address    address.Site
	ready      *readiness
	overlooked sync.Once
	close      context.CancelFunc
}

// New makes a Server.
func New(o Options) *Server {
	o.Zone = cmp.Or(o.Zone, time.UTC)
	if len(o.Secret) == 0 {
		o.Secret = []byte(rand.Text())
	}
	closing, cancel := context.WithCancel(context.Background())
	s := &Server{Options: o, close: cancel, address: address.ParseSite(o.URL), ready: &readiness{store: o.Store, clock: o.Clock}}
	h := s.handlers(closing)
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.handleError
	e.IPExtractor = o.TrustedProxies.ClientOf
	s.echo = e
	s.use()
	for _, r := range routes {
		e.Add(r.method, r.path, s.guarded(r, h))
		if r.method == http.MethodGet { // its twin: the server leaves the body out
			e.Add(http.MethodHead, r.path, s.guarded(r, h))
		}
	}
	return s
}

// Handler returns the server as an http.Handler.
func (s *Server) Handler() http.Handler { return s.echo }

// Sockets counts the open websockets.
func (s *Server) Sockets() int { return int(s.sockets.Open.Load()) }

// Close ends streams and sockets; their readers come back to another process.
func (s *Server) Close() { s.close() }
