package e2e

import (
	"strings"
	"testing"
)

// stubNotifications stands in for the browser's own, which no window manager
// shows here: permission is given when it is asked for.
const stubNotifications = `(() => {
	window.shown = [];
	window.Notification = class { constructor(title, o) { shown.push(title + ": " + o.body); } };
	Notification.permission = localStorage.getItem("permission") ?? "default";
	Notification.requestPermission = async () => { localStorage.setItem("permission", "granted"); return Notification.permission = "granted"; };
	Object.defineProperty(document, "hidden", { get: () => true });
})()`

// TestNotificationPages: an admin sees on a page what was told, sends it again,
// switches e-mails off, and has the browser notify them of a new approval.
func TestNotificationPages(t *testing.T) {
	needsBrowser(t)
	url, _ := hookReceiver(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_NOTIFY_WEBHOOK_URL="+url, "FUSEBOX_NOTIFY_WEBHOOK_SECRET="+hookSecret)...)
	b := newBrowser(t, p.url)
	b.open("/login?next=/admin/notifications")
	b.do("sign in", typing("#email", adminEmail), typing("#password", adminPassword+"\r"))
	b.sees("h1", "Notifications")
	b.do("send a test", click(`[aria-label="Send a test by Webhook"]`))
	b.sees(".flash", "Test queued")
	b.do("look until it is sent", until(`(() => {
		if (document.querySelector(".deliveries .badge-good")) return true;
		location.reload();
		return false;
	})()`))
	b.do("send it again", click(`[aria-label^="Resend to"]`))
	b.sees(".flash", "Resending")
	if n := b.count(".deliveries tbody tr"); n != 2 {
		t.Errorf("%d deliveries", n)
	}
	p.admin().ask("test approval")
	b.do("look until the approval is told", until(`(() => {
		if (document.querySelector(".deliveries a[href^='/approvals/']")) return true;
		location.reload();
		return false;
	})()`))
	b.shoot("notifications")
	b.open("/settings/notifications")
	b.do("switch e-mails off", click("#notify"), click(`form[action="/settings/notifications"] button`))
	b.sees(".flash", "You won’t get these emails")
	b.shoot("settings-notify")
}

// TestBrowserNotification: a new approval is shown by the browser while the tab
// is out of sight, once, and only where the person asked for it.
func TestBrowserNotification(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	a := p.admin()
	b := newBrowser(t, p.url)
	b.open("/login?next=/settings/notifications")
	b.do("sign in", typing("#email", adminEmail), typing("#password", adminPassword+"\r"))
	b.sees("h1", "Notifications")
	ask[any](b, stubNotifications)
	b.do("ask for it", click("[data-notify]"))
	b.sees("[data-notify]", "Stop browser notifications")
	a.ask("test approval")
	b.do("be told", until(`shown.length > 0`))
	if got := strings.Join(ask[[]string](b, `shown`), "\n"); got != `Fusebox: New approval: Run a command — rm -f build/* && echo "build removed" >> cleanup.log (high risk)` {
		t.Errorf("shown: %s", got)
	}
	b.do("stop it", click("[data-notify]"))
	b.sees("[data-notify]", "Show browser notifications")
	a.ask("test approval")
	b.sees("#pending-count", "2")
	if n := ask[int](b, `shown.length`); n != 1 {
		t.Errorf("shown %d times", n)
	}
}
