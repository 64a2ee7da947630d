package wire

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

// TestKeysInDisguise: an endpoint that quotes the key in another form has it blotted
// out all the same, whatever kind of key it is.
func TestKeysInDisguise(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-proj-AbCdEf0123456789ghijKLMN", "7f3a9c0e5d1b4826a8e2", "pass+word/with=odd&chars"} {
		s := NewSecrets([]string{key})
		n := len(key)
		for name, form := range map[string]string{
			"verbatim":              key,
			"upper case":            strings.ToUpper(key),
			"spelled out":           strings.Join(strings.Split(key, ""), " "),
			"with commas":           strings.Join(strings.Split(key, ""), ", "),
			"with dashes":           strings.Join(strings.Split(key, ""), "-"),
			"in two lines":          key[:n/2] + "\n" + key[n/2:],
			"masked by stars":       key[:6] + "************" + key[n-4:],
			"masked by dots":        key[:8] + "..." + key[n-4:],
			"masked by an ellipsis": key[:4] + "…" + key[n-2:],
			"masked by bullets":     key[:7] + "••••••••",
			"masked in words":       key[:5] + "[redacted]" + key[n-5:],
			"base64":                base64.StdEncoding.EncodeToString([]byte(key)),
			"base64 of a header":    base64.StdEncoding.EncodeToString([]byte("Bearer " + key)),
			"base64 of a pair":      base64.URLEncoding.EncodeToString([]byte("me:" + key + "\n")),
			"hex":                   hex.EncodeToString([]byte(key)),
			"in an address":         url.QueryEscape(key),
		} {
			got := s.scrub("Wrong key " + form + ", try another one.")
			if !strings.HasPrefix(got, "Wrong key ") || !strings.HasSuffix(got, ", try another one.") || !strings.Contains(got, "[key]") {
				t.Errorf("%s of %s: %q", name, key, got)
			}
			for i := 0; i+6 <= n; i++ {
				if strings.Contains(got, key[i:i+6]) {
					t.Errorf("%s of %s leaves %q in %q", name, key, key[i:i+6], got)
				}
			}
		}
		const plain = "The model is busy... skip it, or ask again in 7 f3 seconds: passing words."
		if got := s.scrub(plain); got != plain {
			t.Errorf("with the key %s: %q", key, got)
		}
	}
}

// TestBase64OfAKey: whatever stands around a key, what base64 makes of the key itself is found.
func TestBase64OfAKey(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef"
	s := NewSecrets([]string{key})
	for before := range 7 {
		for behind := range 4 {
			whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + key + strings.Repeat("y", behind)))
			if got := s.scrub(whole); !strings.Contains(got, "[key]") {
				t.Errorf("%d before and %d behind: %q", before, behind, got)
			}
		}
	}
}

// BenchmarkRequestID is what each answer of a model costs.
func BenchmarkRequestID(b *testing.B) {
	s := NewSecrets([]string{"sk-proj-AbCdEf0123456789ghijKLMN"})
	for b.Loop() {
		s.RequestID("req_01JABCDEFGHJKMNPQRSTVWXYZ0")
	}
}
