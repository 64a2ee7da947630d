package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fusebox/agent"
)

// The headers of a webhook.
const (
	HeaderEvent     = "Fusebox-Event"
	HeaderDelivery  = "Fusebox-Delivery"
	HeaderSignature = "Fusebox-Signature"
)

// webhookTimeout bounds one request; maxAnswer what is read of its answer.
const (
	webhookTimeout = 15 * time.Second
	maxAnswer      = 4 << 10
)

// minKey is the length from which a part of the address's path may be a key.
const minKey = 12

// WebhookOptions say where a webhook goes.
type WebhookOptions struct {
	// URL is the receiver, Secret signs what it gets.
	URL, Secret string
	// PublicURL is where people reach this server, without a slash at its end.
	PublicURL string
	// Client may reach URL and need reach nothing else.
	Client *http.Client
	Clock  agent.Clock
}

// Webhook posts deliveries to one address.
type Webhook struct {
	WebhookOptions
	client  *http.Client
	secrets secrets
}

var _ Sender = (*Webhook)(nil)

// NewWebhook makes the channel. It follows no redirect: where a receiver points
// to is not what the admin has configured.
func NewWebhook(o WebhookOptions) *Webhook {
	client := *o.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	words := []string{o.Secret, o.URL}
	if u, err := url.Parse(o.URL); err == nil { // addresses of webhooks often are secrets themselves
		password, _ := u.User.Password()
		words = append(words, u.RequestURI(), u.EscapedPath(), u.RawQuery, password)
		for _, values := range u.Query() {
			words = append(words, values...)
		}
		for part := range strings.SplitSeq(u.Path, "/") {
			if len(part) >= minKey {
				words = append(words, part)
			}
		}
	}
	return &Webhook{WebhookOptions: o, client: &client, secrets: newSecrets(words...)}
}

// Channel implements Sender.
func (w *Webhook) Channel() agent.Channel { return agent.ChannelWebhook }

// Close implements Sender.
func (w *Webhook) Close() { w.client.CloseIdleConnections() }

// body is what a receiver gets: what happened, and under which address it is.
type body struct {
	agent.NotifyPayload
	DeliveryID string `json:"deliveryId"`
	URL        string `json:"url"`
}

// Send implements Sender.
func (w *Webhook) Send(ctx context.Context, d agent.Delivery) error {
	content := body{DeliveryID: d.ID}
	if err := json.Unmarshal(d.Payload, &content.NotifyPayload); err != nil {
		return &failure{problem: "The notification cannot be read.", final: true}
	}
	content.URL = w.PublicURL + content.Path
	raw, err := json.Marshal(content)
	if err != nil {
		return &failure{problem: "The notification cannot be encoded.", final: true}
	}
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(raw))
	if err != nil {
		return &failure{problem: "The address of the webhook cannot be used.", final: true}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Fusebox")
	req.Header.Set(HeaderEvent, string(d.Event))
	req.Header.Set(HeaderDelivery, d.ID)
	req.Header.Set(HeaderSignature, Sign(w.Secret, w.Clock.Now(), raw))
	res, err := w.client.Do(req)
	if err != nil {
		return &failure{problem: w.secrets.clean("The receiver could not be reached: " + reason(err))}
	}
	defer func() { _ = res.Body.Close() }()
	return w.judge(res)
}

// Sign is the value of the signature header: the time, and the HMAC-SHA-256 of
// time, a point, and the body.
func Sign(secret string, at time.Time, content []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(content)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// judge says what an answer means.
func (w *Webhook) judge(res *http.Response) error {
	said, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer)) // a broken answer still has its status
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return nil
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return &failure{problem: fmt.Sprintf("The receiver answered %s; redirects are not followed.", status(res))}
	}
	problem := "The receiver answered " + status(res)
	if text := w.secrets.clean(string(said)); text != "" {
		problem += ": " + text
	}
	return &failure{problem: problem, final: res.StatusCode == http.StatusGone, after: w.retryAfter(res.Header.Get("Retry-After"))}
}

// status names a status by its number; what the receiver wrote with it is not kept.
func status(res *http.Response) string {
	return strings.TrimSpace(strconv.Itoa(res.StatusCode) + " " + http.StatusText(res.StatusCode))
}

// retryAfter reads how long the receiver wants to be left alone: seconds, or a date.
func (w *Webhook) retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return at.Sub(w.Clock.Now())
	}
	return 0
}

// reason is an error without the address, which may be a secret.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it did not answer in time"
	}
	if at, ok := errors.AsType[*url.Error](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}
