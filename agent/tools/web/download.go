package web

import (
	"bufio"
	"context"
	"errors"
	"html"
	"io"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
)

const (
	// downloadTime is how long a file may take to arrive: 50 MB at three megabits a second.
	downloadTime = 2 * time.Minute
	// titleWithin is how many bytes of a page may be in front of the end of its title.
	titleWithin = 16 << 10
)

// newDownloads is a client without a limit on time, which Download sets.
func newDownloads(client *http.Client) *http.Client {
	downloads := *client
	downloads.Timeout = 0
	downloads.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if _, err := pageAddress(req.URL.String()); err != nil {
			return err
		}
		if asksToSignIn.MatchString(req.URL.Path) {
			return errSignIn
		}
		return client.CheckRedirect(req, via)
	}
	return &downloads
}

// asksToSignIn finds the pages to which sites send people who have to sign in first.
var asksToSignIn = regexp.MustCompile(`(?i)/(\w*login|sign_?-?in|log_?-?in|sso|saml2?)\b`)

var (
	errSignIn = agent.InvalidField("url", "needs a login; download the file in your browser, and upload it")
	errSlow   = agent.InvalidField("url", "took longer than %d minutes; download the file in your browser, and upload it", int(downloadTime.Minutes()))
)

// Download hands over the file, or the page, that a person names by its address, and what it
// is called. Invalid where it is not to be had; then the field is url.
func (w *Web) Download(ctx context.Context, address string, take func(name string, content io.Reader) error) error {
	u, err := pageAddress(address)
	if err != nil {
		return agent.InvalidField("url", "is not an address that can be fetched; give one that begins with https:// and has no password in it")
	}
	ctx, cancel := agent.WithTimeout(ctx, w.clock, downloadTime, errSlow)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", userAgent)
	res, err := w.downloads.Do(req)
	if err != nil {
		return undelivered(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := refusedBy(res); err != nil {
		return err
	}
	content := bufio.NewReaderSize(watched{ctx, res.Body}, titleWithin)
	return take(nameOf(res, content), content)
}

// undelivered words why nothing came from an address. It repeats nothing of that, which may
// have secrets in it.
func undelivered(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errSignIn):
		return errSignIn
	case isRefused(err):
		return agent.InvalidField("url", "is not on the public internet; upload the file, or have web.allow_hosts name its host")
	default:
		return agent.InvalidField("url", "could not be reached; check it, or try later")
	}
}

// refusedBy is what a site says instead of sending a file.
func refusedBy(res *http.Response) error {
	switch code := res.StatusCode; {
	case code == http.StatusOK && res.ContentLength > agent.MaxDocumentBytes:
		return agent.InvalidField("url", "is too large; at most %d MB are allowed", agent.MaxDocumentBytes>>20)
	case code == http.StatusOK:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return agent.InvalidField("url", "leads nowhere: the site has no such page (%d); check it", code)
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusProxyAuthRequired:
		return errSignIn
	default:
		return agent.InvalidField("url", "gave no file: the site answered %d; try later, or upload the file", code)
	}
}

// watched words what goes wrong while a file arrives.
type watched struct {
	ctx  context.Context
	body io.Reader
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = undelivered(w.ctx, err)
	}
	return n, err
}

var pageTitle = regexp.MustCompile(`(?is)<title[^>]*>([^<]+)</title`)

// nameOf is what the site calls the file, or else what its address or the page itself does.
func nameOf(res *http.Response, content *bufio.Reader) string {
	if _, said, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil && said["filename"] != "" {
		return said["filename"]
	}
	name := path.Base(res.Request.URL.Path)
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	page := kind == "text/html" || kind == "application/xhtml+xml"
	if name == "/" || name == "." {
		name = res.Request.URL.Hostname()
		head, _ := content.Peek(titleWithin) // less, where it has less
		if m := pageTitle.FindSubmatch(head); page && m != nil && utf8.Valid(m[1]) {
			name = strings.ReplaceAll(strings.Join(strings.Fields(html.UnescapeString(string(m[1]))), " "), "/", "-")
		}
	}
	if ext := strings.ToLower(path.Ext(name)); page && ext != ".html" && ext != ".htm" && ext != ".xhtml" {
		name += ".html" // whatever made it
	}
	return name
}
