package seal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSealedOpensOnlyHere: with the same key file and for the same owner, and for nobody else.
func TestSealedOpensOnlyHere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret.key")
	if _, err := New(path).Open("AAAA", "a"); err == nil {
		t.Error("opened without a key")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("opening has made a key")
	}
	sealed, err := New(path).Seal("sk-secret", "https://a.example")
	if err != nil || strings.Contains(sealed, "sk-secret") {
		t.Fatalf("%q %v", sealed, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v %v", info, err)
	}
	if got, err := New(path).Open(sealed, "https://a.example"); got != "sk-secret" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	again, err := New(path).Seal("sk-secret", "https://a.example")
	if err != nil || again == sealed {
		t.Errorf("sealed twice alike: %v", err)
	}
	other := New(filepath.Join(t.TempDir(), "secret.key"))
	if _, err := other.Seal("x", "y"); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (string, error){
		"another owner":        func() (string, error) { return New(path).Open(sealed, "https://b.example") },
		"another installation": func() (string, error) { return other.Open(sealed, "https://a.example") },
		"what was changed":     func() (string, error) { return New(path).Open("A"+sealed[1:]+"A", "https://a.example") },
		"what is no base64":    func() (string, error) { return New(path).Open("%", "https://a.example") },
	} {
		if got, err := open(); err == nil {
			t.Errorf("%s is opened: %q", name, got)
		}
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(path).Seal("x", "y"); err == nil || !strings.Contains(err.Error(), "5 bytes") {
		t.Errorf("a broken key file: %v", err)
	}
}
