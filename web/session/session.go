package session

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// How long sessions live: a week, and two days without a request. When the last
// one came is kept to ten minutes: a write per request would be too much.
const (
	accountLife = 7 * 24 * time.Hour
	idleLife    = 2 * 24 * time.Hour
	seenGrain   = 10 * time.Minute
)

// The keys of a session. The role is not among them: it is read fresh for
// every request.
const (
	sessionUser  = "user"
	sessionEpoch = "epoch"
	sessionSeen  = "seen"
	sessionCSRF  = "csrf"
	sessionFlash = "flash"
)

// Options are what sessions are made of.
type Options struct {
	Store scs.CtxStore
	// Readers lets go of the streams of a session that ends.
	Readers interface{ EndSession(token string) }
	Clock   agent.Clock
	Logger  *slog.Logger
	// Path bounds the cookies, Secure marks them for HTTPS only.
	Path   string
	Secure bool
	// Secret signs what visitors and known devices carry.
	Secret []byte
}

// New makes the sessions of a store.
func New(o Options) *Sessions {
	m := scs.New()
	m.Store = o.Store
	m.Lifetime = accountLife
	m.Cookie.Name = "fusebox_session"
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.Secure, m.Cookie.Path = o.Secure, o.Path
	return &Sessions{Options: o, manager: m}
}

// loadedKey says that a request has its session: what is refused before, or because
// no session could be loaded, has none.
const loadedKey = "session loaded"

func loaded(c echo.Context) bool { return c.Get(loadedKey) != nil }

// WithSession loads the session and stores it right before the response's
// first byte. The manager's own middleware would hold streams back.
func (s *Sessions) WithSession(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Add("Vary", "Cookie")
		ctx, err := s.manager.Load(c.Request().Context(), sent(c, s.manager.Cookie.Name))
		if err != nil {
			return agent.Wrap(agent.Unavailable, err, "The session could not be loaded. Please try again.")
		}
		c.SetRequest(c.Request().WithContext(ctx))
		c.Set(loadedKey, true)
		c.Response().Before(func() { s.saveSession(c) })
		return next(c)
	}
}

func (s *Sessions) saveSession(c echo.Context) {
	ctx := c.Request().Context()
	switch s.manager.Status(ctx) {
	case scs.Modified:
		token, expiry, err := s.manager.Commit(ctx)
		if err != nil {
			s.Logger.Error("storing a session failed", "error", err)
			return
		}
		s.manager.WriteSessionCookie(ctx, c.Response(), token, expiry)
	case scs.Destroyed:
		s.manager.WriteSessionCookie(ctx, c.Response(), "", time.Time{})
	case scs.Unmodified:
	}
}

// SignIn makes the session the user's, under a new token.
func (s *Sessions) SignIn(c echo.Context, u agent.User) error {
	ctx := c.Request().Context()
	s.Readers.EndSession(s.manager.Token(ctx)) // whoever was signed in here is not any more
	if err := s.manager.RenewToken(ctx); err != nil {
		return err
	}
	s.manager.SetDeadline(ctx, s.Clock.Now().Add(accountLife))
	s.manager.Put(ctx, sessionUser, u.ID)
	s.manager.Put(ctx, sessionEpoch, u.SessionEpoch)
	s.manager.Put(ctx, sessionSeen, s.Clock.Now().Unix())
	s.manager.Remove(ctx, sessionCSRF)
	s.beginVisit(c)
	s.rememberDevice(c, u)
	return nil
}

// unseenFor is how long ago an account's session was last used.
func (s *Sessions) unseenFor(ctx context.Context) time.Duration {
	return s.Clock.Now().Sub(time.Unix(s.manager.GetInt64(ctx, sessionSeen), 0))
}

// NoteSeen keeps a session that is used from becoming idle. A stream that is
// merely open does not.
func (s *Sessions) NoteSeen(c echo.Context) {
	ctx := c.Request().Context()
	if !request.ByBearer(c) && s.unseenFor(ctx) > seenGrain {
		s.manager.Put(ctx, sessionSeen, s.Clock.Now().Unix())
	}
}

// SignOut ends the session and the streams that were opened with it.
func (s *Sessions) SignOut(c echo.Context) error {
	ctx := c.Request().Context()
	s.Readers.EndSession(s.manager.Token(ctx))
	s.endVisit(c)
	return s.manager.Destroy(ctx)
}

// Flash keeps a line for the next page that is shown.
func (s *Sessions) Flash(c echo.Context, message string) {
	s.manager.Put(c.Request().Context(), sessionFlash, message)
}

// TakeFlash returns that line, once.
func (s *Sessions) TakeFlash(c echo.Context) string {
	if !loaded(c) {
		return ""
	}
	return s.manager.PopString(c.Request().Context(), sessionFlash)
}

// Sessions are the browsers that are signed in.
type Sessions struct {
	Options
	manager *scs.SessionManager
}

// Token names the session of a request's context.
func (s *Sessions) Token(ctx context.Context) string { return s.manager.Token(ctx) }

// Account returns the id of the account that a session belongs to, and of which
// epoch it is; "" for none, or one that has been idle for too long.
func (s *Sessions) Account(ctx context.Context, token string) (id string, epoch int64, err error) {
	if ctx, err = s.manager.Load(ctx, token); err != nil {
		return "", 0, err
	}
	id = s.manager.GetString(ctx, sessionUser)
	if id == "" || s.unseenFor(ctx) > idleLife {
		return "", 0, nil
	}
	return id, s.manager.GetInt64(ctx, sessionEpoch), nil
}

// Keep keeps a text for the next page that asks for it.
func (s *Sessions) Keep(ctx context.Context, key, text string) { s.manager.Put(ctx, key, text) }

// Take returns what was kept, once.
func (s *Sessions) Take(ctx context.Context, key string) string { return s.manager.PopString(ctx, key) }
