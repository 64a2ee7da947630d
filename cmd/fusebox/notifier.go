package main

import (
	"fusebox/agent/notify"
	"fusebox/store"
	"fusebox/web"
	"log/slog"
	"net"
	"time"
)

// channels are those that are configured.
func channels(n notifyConfig) store.Channels {
	return store.Channels{Webhook: n.webhookURL != "", Email: n.smtpURL != ""}
}

// notifyInfo is what admins see of the settings.
func notifyInfo(n notifyConfig) web.NotifyInfo {
	i := web.NotifyInfo{PublicURL: n.publicURL, From: n.from, Signed: n.webhookSecret != ""}
	if u, ok := webURL(n.webhookURL); ok {
		i.WebhookHost = u.Host
	}
	if r, err := notify.ParseRelay(n.smtpURL); err == nil {
		i.SMTPHost = r.Address()
	}
	return i
}

// webhookClient bounds a request beside the bounds of the channel itself.
const webhookClient = 30 * time.Second

// newNotifier makes the worker with the channels that are configured.
func newNotifier(n notifyConfig, log *slog.Logger) (*notify.Worker, error) {
	var senders []notify.Sender
	if n.webhookURL != "" {
		client, err := clientFor(webhookClient, n.webhookURL)
		if err != nil {
			return nil, usagef("notify.webhook_url cannot be used as an address")
		}
		senders = append(senders, notify.NewWebhook(notify.WebhookOptions{
			URL: n.webhookURL, Secret: n.webhookSecret, PublicURL: n.publicURL, Client: client, Clock: systemClock{},
		}))
	}
	if n.smtpURL != "" {
		relay, err := notify.ParseRelay(n.smtpURL)
		if err != nil {
			return nil, usagef("notify.smtp_url %v", err)
		}
		email, err := notify.NewEmail(notify.EmailOptions{Relay: relay, From: n.from, PublicURL: n.publicURL, Clock: systemClock{}})
		if err != nil {
			return nil, usagef("notify.from: %v", err)
		}
		senders = append(senders, email)
	}
	return notify.New(systemClock{}, log, senders...), nil
}

// publicAddress is where links lead unless server.url says otherwise.
func publicAddress(listener net.Listener) string { return "http://" + reachable(listener.Addr()) }
