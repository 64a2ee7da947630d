package agent

import "testing"

func TestFingerprintArgsSameCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, a, b string
		same       bool
	}{
		{"key order", `{"a":1,"b":{"x":1,"y":2}}`, `{"b":{"y":2,"x":1},"a":1}`, true},
		{"numbers", `{"a":1}`, `{"a":1.0}`, true},
		{"exponent", `{"a":100}`, `{"a":1e2}`, true},
		{"white space", `{"a": 1}`, `{"a":1}`, true},
		{"array order", `{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{"strings untouched", `{"a":"1"}`, `{"a":1}`, false},
		{"string like a mark", `{"a":"#1"}`, `{"a":1}`, false},
		{"letter case", `{"a":"X"}`, `{"a":"x"}`, false},
		{"huge exponent", `{"a":1e999999999}`, `{"a":1e999999998}`, false},
		{"no JSON", `{"a":`, `{"a":`, true},
	} {
		if got := FingerprintArgs(tc.a, nil) == FingerprintArgs(tc.b, nil); got != tc.same {
			t.Errorf("%s: same = %v, want %v", tc.name, got, tc.same)
		}
	}
}

func TestFingerprintArgsIdentity(t *testing.T) {
	t.Parallel()
	a := FingerprintArgs(`{"path":"x","note":"1"}`, []string{"path"})
	b := FingerprintArgs(`{"path":"x","note":"2"}`, []string{"path"})
	if a != b {
		t.Error("fields outside the identity must not count")
	}
}

func TestFingerprintResultProgress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, a, b string
		same       bool
	}{
		{"ISO time", "done at 2026-01-02T03:04:05Z", "done at 2026-01-02T03:09:41Z", true},
		{"clock", "at 10:31:07", "at 10:31:09", true},
		{"uuid", "id 6f1c7d0e-1111-4222-8333-944455556666", "id 00000000-1111-4222-8333-944455556666", true},
		{"hex", "sha deadbeefdeadbeef", "sha 0123456789abcdef", true},
		{"percent is progress", "35 %", "40 %", false},
		{"volatile field", `{"x":1,"took":5}`, `{"took":9,"x":1}`, true},
		{"other field", `{"x":1,"took":5}`, `{"x":2,"took":5}`, false},
	} {
		if got := FingerprintResult(tc.a, []string{"took"}) == FingerprintResult(tc.b, []string{"took"}); got != tc.same {
			t.Errorf("%s: same = %v, want %v", tc.name, got, tc.same)
		}
	}
}
