package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/tools/web"
)

func download(t *testing.T, w *web.Web, address string) (name, content string, err error) {
	t.Helper()
	err = w.Download(agenttest.Context(t), address, func(is string, body io.Reader) error {
		all, err := io.ReadAll(body)
		name, content = is, string(all)
		return err
	})
	return name, content, err
}

// TestDownloadsAreNamed: by the site, by the address, or by the page.
func TestDownloadsAreNamed(t *testing.T) {
	t.Parallel()
	attached := func(disposition string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", disposition)
			_, _ = io.WriteString(w, "%PDF-1.7")
		}
	}
	s := newSite(t, "User-agent: *\nDisallow: /\n", map[string]func(http.ResponseWriter, *http.Request){
		"/d": attached(`attachment; filename="a.pdf"; filename*=UTF-8''%E5%AD%A3%E5%BA%A6.pdf`), "/e": attached(`attachment; filename="../b.pdf"`),
		"/f/泵.pdf": sends("application/pdf", "%PDF-1.7"), "/wiki/Fuse": sends("text/html", article("Fuses", "x")), "/index.php": sends("text/html; charset=utf-8", "<html>"),
		"/": sends("text/html", "<html><title>\n Fuses &amp; 泵/more </title>"),
		"/away": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/f/%E6%B3%B5.pdf?x=1", http.StatusFound)
		},
	})
	w := newWeb(t, web.Options{Allow: []string{s.origin()}})
	for path, want := range map[string]string{
		"/d": "季度.pdf", "/e": "../b.pdf", "/f/泵.pdf": "泵.pdf", "/away#part": "泵.pdf", "/wiki/Fuse": "Fuse.html", "/index.php": "index.php.html", "": "Fuses & 泵-more.html",
	} {
		if name, content, err := download(t, w, s.URL+path); err != nil || name != want || content == "" {
			t.Errorf("%q: %q %q, %v", path, name, content, err)
		}
	}
}

// TestDownloadsSayWhatIsWrong: of the field url, with what helps, and nothing of the address.
func TestDownloadsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", map[string]func(http.ResponseWriter, *http.Request){
		"/large":  func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999") },
		"/locked": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"/busy":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"/signin": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/ServiceLogin?next=x", http.StatusFound)
		},
		"/circle": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/circle", http.StatusFound) },
		"/inside": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/x", http.StatusFound)
		},
		"/file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		},
		"/cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "cut")
		},
	})
	w := newWeb(t, web.Options{Allow: []string{s.origin()}})
	for address, want := range map[string]string{
		"": "https://", "ftp://a.example/secret": "https://", "https://a:secret@b.example": "no password", "http://127.0.0.1:1/secret": "upload the file, or have web.allow_hosts",
		s.URL + "/none?secret": "(404)", s.URL + "/large": "at most 50 MB", s.URL + "/locked": "needs a login", s.URL + "/signin": "needs a login", s.URL + "/busy": "answered 503",
		s.URL + "/circle": "could not be reached", s.URL + "/inside": "not on the public internet", s.URL + "/file": "could not be reached", s.URL + "/cut": "could not be reached",
	} {
		_, _, err := download(t, w, address)
		if said := agent.FieldErrors(err)["url"]; !strings.Contains(said, want) || strings.Contains(said, "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Download(ctx, s.URL+"/large", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// TestSlowDownloadsEnd: after two minutes, before the site has answered and in the middle of the file.
func TestSlowDownloadsEnd(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	s := newSite(t, "", map[string]func(http.ResponseWriter, *http.Request){
		"/silent": func(http.ResponseWriter, *http.Request) { <-end },
		"/stalls": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("begins ", 4<<10))
			<-end
		},
	})
	t.Cleanup(func() { close(end) }) // before the site is closed
	for _, path := range []string{"/silent", "/stalls"} {
		clock := agenttest.NewClock()
		w := newWeb(t, web.Options{Allow: []string{s.origin()}, Clock: clock})
		ended := make(chan error, 1)
		go func() {
			_, _, err := download(t, w, s.URL+path)
			ended <- err
		}()
		clock.Outwait(t, 2*time.Minute)
		if err := agenttest.Receive(t, "the end", ended); !strings.Contains(agent.FieldErrors(err)["url"], "longer than 2 minutes") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
