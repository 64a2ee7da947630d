package config

import (
	"net/mail"
	"net/url"
	"strings"

	"fusebox/agent/notify"
)

// Notify says how people are notified outside the app, and where links lead.
type Notify struct {
	PublicURL                 string
	WebhookURL, WebhookSecret string
	SMTPURL, From             string
}

// minWebhookSecret is the length from which a secret is one.
const minWebhookSecret = 16

// notifyKeys are the settings of notifications. Their values may be secrets: no
// error shows one.
func notifyKeys() []key {
	text := func(path, allowed string, field func(*Notify) *string, ok func(string) bool) key {
		return key{path, "", allowed, func(c *Config, value string) bool {
			*field(&c.Notify) = strings.TrimSuffix(value, "/")
			return value == "" || ok(value)
		}}
	}
	return []key{
		text("server.url", "an http or https URL without a query, such as https://fusebox.example.org",
			func(n *Notify) *string { return &n.PublicURL }, func(v string) bool {
				u, ok := WebURL(v)
				return ok && u.User == nil && u.RawQuery == "" && u.Fragment == ""
			}),
		{"notify.webhook_url", "", "an http or https URL", func(c *Config, value string) bool {
			c.Notify.WebhookURL = value
			_, ok := WebURL(value)
			return value == "" || ok
		}},
		{"notify.webhook_secret", "", "a text of at least 16 characters", func(c *Config, value string) bool {
			c.Notify.WebhookSecret = value
			return value == "" || len(value) >= minWebhookSecret
		}},
		text("notify.smtp_url", "smtp://USER:PASSWORD@HOST:587 (STARTTLS), smtps://USER:PASSWORD@HOST:465, or smtp+plain://HOST:25 (no TLS, no password)",
			func(n *Notify) *string { return &n.SMTPURL }, func(v string) bool {
				_, err := notify.ParseRelay(v)
				return err == nil
			}),
		{"notify.from", "", "an e-mail address, such as Fusebox <fusebox@example.org>", func(c *Config, value string) bool {
			c.Notify.From = value
			_, err := mail.ParseAddress(value)
			return value == "" || err == nil
		}},
	}
}

// WebURL reads an http or https address.
func WebURL(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// secretKeys are settings whose values no message shows.
var secretKeys = []string{"notify.webhook_url", "notify.webhook_secret", "notify.smtp_url", otlpEndpointKey, otlpHeadersKey, metricsTokenKey}
