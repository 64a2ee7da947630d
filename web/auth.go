package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// withViewer finds out who asks. An API token goes before the session, and a
// wrong one is never made up for by a session.
func (s *Server) withViewer(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		user, token, err := s.who(c)
		if err != nil {
			return err
		}
		if user != nil && !user.Disabled {
			request.SetGrant(c, request.Grant{Role: user.Role, Token: token})
			v, name := limited(*user, token)
			v.Place = request.PlaceOf(c, name)
			request.SetViewer(c, v)
			s.sessions.NoteSeen(c)
			s.speakTo(c, user)
		} else {
			s.speakTo(c, nil)
		}
		return next(c)
	}
}

// limited is an account as the requester that a token makes it, and the token's name.
func limited(u agent.User, token *agent.Token) (v agent.Viewer, name string) {
	v = u.Viewer()
	if token == nil {
		return v, ""
	}
	v.Role, v.Token = v.Role.Within(token.Scopes), token.ID
	return v, token.Name
}

// who returns the account that asks, nil for a stranger, and the token it asks with.
func (s *Server) who(c echo.Context) (u *agent.User, token *agent.Token, err error) {
	ctx := c.Request().Context()
	by := request.Credential{Session: s.sessions.Token(ctx)}
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" {
		request.SetBearer(c)
		scheme, secret, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, nil, nil
		}
		by = request.Credential{Token: service.TokenHash(strings.TrimSpace(secret))}
	}
	request.SetCredential(c, by)
	return s.account(ctx, by)
}

// holder returns the account that a credential belongs to now, nil for none, in the
// role that it acts in, and the name of its token.
func (s *Server) holder(ctx context.Context, by request.Credential) (u *agent.User, name string, err error) {
	u, token, err := s.account(ctx, by)
	if u == nil || err != nil {
		return nil, "", err
	}
	v, name := limited(*u, token)
	u.Role = v.Role
	return u, name, nil
}

// account returns the account that a credential belongs to now, nil for none,
// and its token. A context that carries a request's session is not asked to load it
// again.
func (s *Server) account(ctx context.Context, by request.Credential) (u *agent.User, token *agent.Token, err error) {
	if by.Token != nil {
		u, token, err = s.Store.UserByToken(ctx, by.Token)
		u, err = strangerIfUnknown(u, err)
		return u, token, err
	}
	id, epoch, err := s.sessions.Account(ctx, by.Session)
	if err != nil || id == "" {
		return nil, nil, err
	}
	u, err = strangerIfUnknown(s.Store.UserByID(ctx, id))
	if u != nil && u.SessionEpoch != epoch {
		return nil, nil, nil // the password has changed since
	}
	return u, nil, err
}

func strangerIfUnknown(u *agent.User, err error) (*agent.User, error) {
	if agent.CodeOf(err) == agent.NotFound {
		return nil, nil
	}
	return u, err
}

// sameOrigin protects what changes something: a request that may carry the
// browser's session needs the session's token, or the browser's statement that
// it comes from this site. A bearer token is not sent by browsers on their own.
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		switch r.Method {
		case http.MethodGet, http.MethodHead, http.MethodOptions:
			return next(c)
		}
		from := r.Header.Get("Sec-Fetch-Site")
		// A page of a neighbouring host can plant a visitor's cookie, but not this header.
		mayShow := from == "" || from == "none"
		if request.ByBearer(c) || from == "same-origin" || mayShow && s.hasCSRF(c) {
			return next(c)
		}
		if request.Viewer(c).UserID == "" && isProgram(c) {
			return request.ErrSignIn
		}
		return agent.Errorf(agent.Forbidden, "This request did not come from a page of this site, or the page is too old. Reload it and try again.")
	}
}

func (s *Server) hasCSRF(c echo.Context) bool {
	given := c.Request().Header.Get("X-CSRF-Token")
	kind := c.Request().Header.Get(echo.HeaderContentType)
	// A form with a file is read for those who are signed in only.
	isForm := strings.HasPrefix(kind, echo.MIMEApplicationForm) || strings.HasPrefix(kind, echo.MIMEMultipartForm) && request.Viewer(c).UserID != ""
	if strings.HasPrefix(kind, echo.MIMEMultipartForm) && given == "" && isForm {
		_ = request.ReadFileForm(c) // what cannot be read has no token either
	}
	if given == "" && isForm {
		given = c.FormValue("csrf_token")
	}
	return s.sessions.FormTokenFits(c, given)
}
