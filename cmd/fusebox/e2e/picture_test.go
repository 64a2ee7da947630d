package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// pictureLimit keeps the README quick to load.
const pictureLimit = 200 << 10

// TestPicture takes the README's picture from the program itself. It is made on
// request only, because it replaces a committed file:
//
//	FUSEBOX_TEST_PICTURE=docs/chat.png go test ./cmd/fusebox/e2e -run TestPicture
//
// The path is relative to the root of the module.
func TestPicture(t *testing.T) {
	target := os.Getenv("FUSEBOX_TEST_PICTURE")
	if target == "" {
		t.Skip("skipped: FUSEBOX_TEST_PICTURE does not say where the picture goes")
	}
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	b.do("size", chromedp.EmulateViewport(1280, 800), until(`innerWidth === 1280`))
	b.colours("light")
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"),
		visible("#composer-text"))
	for _, earlier := range []string{"What is 6*7?", "test approval", "test thinking"} {
		b.open("/")
		b.say(earlier)
		b.sees("#transcript", earlier)
	}
	b.open("/")
	b.say("test dead loop")
	b.sees("[data-card]", "8 times in a row")
	b.do("reload", chromedp.Reload(), visible("[data-card]"))
	b.do("show the whole card title", until(`(() => {
		document.querySelector("[data-card]").scrollIntoView({ block: "start" });
		scrollBy(0, -innerHeight / 4);
		return true;
	})()`))
	b.picture(target)
}

// picture writes what the window shows to a file of the module.
func (b *browser) picture(target string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if len(png) > pictureLimit {
		b.t.Errorf("the picture has %d bytes, more than %d", len(png), pictureLimit)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join("../../..", target)
	}
	if err := os.WriteFile(target, png, 0o644); err != nil { //nolint:gosec // a picture for everybody
		b.t.Fatal(err)
	}
}
