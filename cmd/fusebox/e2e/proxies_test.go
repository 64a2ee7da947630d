package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent/agenttest"
	"fusebox/cmd/fusebox/docstest"
)

// proxyKind is one of the proxies of the manual: the language of its block, the program,
// and what a test has to change in the block to run it beside others, as anybody.
type proxyKind struct {
	lang, program string
	args          func(f proxyFiles) []string
	replace       func(f proxyFiles) []string
}

var proxyKinds = []proxyKind{
	{
		lang: "nginx", program: "nginx",
		args: func(f proxyFiles) []string {
			return []string{"-p", f.dir, "-c", f.config, "-e", "stderr", "-g", "daemon off; master_process off; pid " + f.path("pid") + ";"}
		},
		replace: func(f proxyFiles) []string {
			mine := "http {\n  access_log off;\n"
			for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				mine += "  " + kind + "_temp_path " + f.path(kind) + ";\n"
			}
			return []string{"http {\n", mine, "listen 443 ssl", "listen " + f.listen + " ssl"}
		},
	},
	{
		lang: "caddyfile", program: "caddy",
		args: func(f proxyFiles) []string { return []string{"run", "--adapter", "caddyfile", "--config", f.config} },
		replace: func(f proxyFiles) []string {
			host, port, _ := net.SplitHostPort(f.listen)
			var pairs []string
			for _, site := range []string{"fusebox.example.org", "example.org"} {
				pairs = append(pairs, site+" {\n", "{\n\tadmin off\n\tauto_https off\n}\n\nhttps://"+site+":"+port+
					" {\n\tbind "+host+"\n\ttls "+f.path("fusebox.pem")+" "+f.path("fusebox.key")+"\n")
			}
			return pairs
		},
	},
	{
		lang: "haproxy", program: "haproxy",
		args:    func(f proxyFiles) []string { return []string{"-db", "-f", f.config} },
		replace: func(f proxyFiles) []string { return []string{"bind :443", "bind " + f.listen} },
	},
}

// proxyFiles is the folder of a running proxy.
type proxyFiles struct{ dir, config, listen string }

func (f proxyFiles) path(name string) string { return filepath.Join(f.dir, name) }

// proxyPath is where a proxy's program is, "" for nowhere. Debian keeps some where only
// root looks.
func proxyPath(program string) string {
	for _, name := range []string{program, "/usr/sbin/" + program} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}

// needsProxy lets a test run beside the others, where it is asked for.
func needsProxy(t *testing.T, program string) {
	t.Helper()
	agenttest.NeedsFull(t, "it waits longer than a proxy does")
	if proxyPath(program) == "" {
		t.Fatalf("there is no %s on this machine", program)
	}
	t.Parallel()
}

// proxyBlock is a block of the manual's page about operations.
func proxyBlock(t *testing.T, lang, arg string) string {
	t.Helper()
	for _, b := range docstest.Open(t, "docs/operations.md").Blocks {
		if b.Lang == lang && b.Arg == arg {
			return b.Text
		}
	}
	t.Fatalf("docs/operations.md has no block %s %s", lang, arg)
	return ""
}

// shortTimeout is what the proxies' minute becomes: a little longer than a silence of
// the server may be.
const shortTimeout = 12 * time.Second

// startProxy runs a configuration before a server and returns where it listens. More
// are texts of it and what a test has instead.
func startProxy(t *testing.T, kind proxyKind, config, backend string, more ...string) (address string) {
	t.Helper()
	f := proxyFiles{dir: t.TempDir(), listen: ownAddress()}
	f.config = f.path("config")
	writeCertificate(t, f)
	pairs := append(kind.replace(f), "127.0.0.1:8080", strings.TrimPrefix(backend, "http://"), "60s", shortTimeout.String(),
		"/etc/ssl/fusebox", f.path("fusebox"))
	text := strings.NewReplacer(append(pairs, more...)...).Replace(config)
	if err := os.WriteFile(f.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), proxyPath(kind.program), kind.args(f)...)
	said := &logBuffer{}
	cmd.Stdout, cmd.Stderr, cmd.Dir = said, said, f.dir
	cmd.Env = []string{"HOME=" + f.dir, "XDG_DATA_HOME=" + f.dir, "XDG_CONFIG_HOME=" + f.dir, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	agenttest.Eventually(t, kind.program+" listening", func() bool {
		select {
		case <-ended:
			t.Fatalf("%s ended: %v\n%s\n%s", kind.program, cmd.ProcessState, said, text)
		default:
		}
		conn, err := net.Dial("tcp", f.listen)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return f.listen
}

// writeCertificate makes a certificate that nobody but the test believes; the .pem has
// the key too, as HAProxy wants it.
func writeCertificate(t *testing.T, f proxyFiles) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"fusebox.example.org", "example.org"}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keyText := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	certText := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	for name, text := range map[string][]byte{"fusebox.key": keyText, "fusebox.pem": append(certText, keyText...)} {
		if err := os.WriteFile(f.path(name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
