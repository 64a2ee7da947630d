package web

import (
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"fusebox/agent"
	"fusebox/agent/lru"
	"fusebox/web/request"
)

// What one may save up of their share, and how many shares are remembered. Only shares
// that are not in use are forgotten; they start full again.
const (
	burstTime = 5 * time.Second
	maxShares = 10_000
)

// fairRequests lets nobody take all of the server. A person has a share; each of their
// tokens may take half of it, so that a program gone wild does not lock its owner out.
type fairRequests struct {
	perSecond int
	clock     agent.Clock
	shares    *lru.Cache[*rate.Limiter]
}

func newFairRequests(perSecond int, clock agent.Clock) *fairRequests {
	return &fairRequests{perSecond: perSecond, clock: clock, shares: lru.New[*rate.Limiter](maxShares)}
}

// share is the limiter of a person or a token. Two requests that come first at once may
// each make one: the share is then a little larger, once.
func (f *fairRequests) share(key string, perSecond float64) *rate.Limiter {
	if l := f.shares.Get(key); l != nil {
		return l
	}
	l := rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond*burstTime.Seconds())))
	f.shares.Put(key, l, 1)
	return l
}

// limit refuses requests of who has used up their share. All answers say how much of it
// is left, in the fields of the IETF's draft on rate limits.
func (f *fairRequests) limit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := request.Viewer(c)
		if v.UserID == "" || f.perSecond == 0 {
			return next(c)
		}
		share := f.share("person "+v.UserID, float64(f.perSecond))
		name := "person"
		fits := f.take(c, name, share)
		if by := request.CredentialOf(c); fits && by.Token != nil {
			share, name = f.share("token "+hex.EncodeToString(by.Token), float64(f.perSecond)/2), "token"
			fits = f.take(c, name, share)
		}
		if !fits {
			return &request.BadRequest{Status: http.StatusTooManyRequests, Err: agent.Errorf(agent.Invalid, "Too many requests. Wait a moment and try again.")}
		}
		return next(c)
	}
}

// take takes one request out of a share, and tells what is left of it.
func (f *fairRequests) take(c echo.Context, name string, share *rate.Limiter) bool {
	now := f.clock.Now()
	fits := share.AllowN(now, 1)
	left := max(0, int(share.TokensAt(now)))
	window := int(burstTime.Seconds())
	h := c.Response().Header()
	h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", name, share.Burst(), window))
	h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", name, left, window))
	if !fits {
		wait := (1 - share.TokensAt(now)) / float64(share.Limit())
		h.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait)))))
	}
	return fits
}
