package main

import (
	"log/slog"
	"net"
	"time"

	"fusebox/agent"
	"fusebox/agent/notify"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
	"fusebox/web/mail"
	"fusebox/web/page"
)

// channels are those that are configured.
func channels(n config.Notify) store.Channels {
	return store.Channels{Webhook: n.WebhookURL != "", Email: n.SMTPURL != ""}
}

// notifyInfo is what admins see of the settings.
func notifyInfo(n config.Notify) page.NotifyInfo {
	i := page.NotifyInfo{PublicURL: n.PublicURL, From: n.From, Signed: n.WebhookSecret != ""}
	if u, ok := config.WebURL(n.WebhookURL); ok {
		i.WebhookHost = u.Host
	}
	if r, err := notify.ParseRelay(n.SMTPURL); err == nil {
		i.SMTPHost = r.Address()
	}
	return i
}

// webhookClient bounds a request in addition to the bounds of the channel itself.
const webhookClient = 30 * time.Second

// newNotifier makes the worker with the channels that are configured.
func newNotifier(n config.Notify, log *slog.Logger) (*notify.Worker, error) {
	var senders []notify.Sender
	if n.WebhookURL != "" {
		client, err := clientFor(webhookClient, n.WebhookURL)
		if err != nil {
			return nil, usagef("notify.webhook_url cannot be used as an address")
		}
		senders = append(senders, notify.NewWebhook(notify.WebhookOptions{
			URL: n.WebhookURL, Secret: n.WebhookSecret, PublicURL: n.PublicURL, Client: client, Clock: agent.SystemClock{},
		}))
	}
	if n.SMTPURL != "" {
		relay, err := notify.ParseRelay(n.SMTPURL)
		if err != nil {
			return nil, usagef("notify.smtp_url %v", err)
		}
		email, err := notify.NewEmail(notify.EmailOptions{Relay: relay, From: n.From, PublicURL: n.PublicURL, Write: mail.Write, Clock: agent.SystemClock{}})
		if err != nil {
			return nil, usagef("notify.from: %v", err)
		}
		senders = append(senders, email)
	}
	return notify.New(agent.SystemClock{}, log, senders...), nil
}

// publicAddress is where links lead unless server.url says otherwise.
func publicAddress(listener net.Listener) string { return "http://" + reachable(listener.Addr()) }
