package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// deviceLife is how long a browser is known after its last sign-in.
const deviceLife = 180 * 24 * time.Hour

// rememberDevice tells the browser that this account has signed in with it. Whoever
// guesses passwords elsewhere does not keep this browser from signing in.
func (s *Sessions) rememberDevice(c echo.Context, u agent.User) {
	device := strconv.FormatInt(s.Clock.Now().Unix(), 36) + "-" + rand.Text()
	cookie := s.cookie(deviceCookie(u), device+"."+s.deviceSign(u, device))
	cookie.MaxAge = int(deviceLife / time.Second)
	c.SetCookie(cookie)
}

// KnownDevice names the browser that an account has signed in with before, "" for any
// other. A new password makes all others unknown.
func (s *Sessions) KnownDevice(c echo.Context, u agent.User) string {
	device, signature, _ := strings.Cut(sent(c, deviceCookie(u)), ".")
	since, _, _ := strings.Cut(device, "-")
	unix, err := strconv.ParseInt(since, 36, 64)
	if err != nil || s.Clock.Now().Sub(time.Unix(unix, 0)) > deviceLife || !hmac.Equal([]byte(signature), []byte(s.deviceSign(u, device))) {
		return ""
	}
	return device
}

// deviceCookie is one for each account: several may use the same browser.
func deviceCookie(u agent.User) string {
	sum := sha256.Sum256([]byte(u.ID))
	return "fusebox_device_" + base64.RawURLEncoding.EncodeToString(sum[:6])
}

func (s *Sessions) deviceSign(u agent.User, device string) string {
	return s.sign("device", u.ID, strconv.FormatInt(u.SessionEpoch, 10), device)
}

// sign signs what a browser carries; what for is signed along.
func (s *Sessions) sign(parts ...string) string {
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
