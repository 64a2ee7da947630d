package page

// NotifyInfo is what admins see of how people outside are told; no secret is in it.
type NotifyInfo struct {
	// PublicURL is where links lead.
	PublicURL string
	// WebhookHost is "" without a webhook; Signed says that it has a secret.
	WebhookHost string
	Signed      bool
	// SMTPHost is "" without e-mail.
	SMTPHost, From string
}

// Email reports whether e-mails are sent.
func (i NotifyInfo) Email() bool { return i.SMTPHost != "" }
