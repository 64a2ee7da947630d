package fingerprint

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
		if got := Args(tc.a, nil) == Args(tc.b, nil); got != tc.same {
			t.Errorf("%s: same = %v, want %v", tc.name, got, tc.same)
		}
	}
}

func TestFingerprintArgsIdentity(t *testing.T) {
	t.Parallel()
	a := Args(`{"path":"x","note":"1"}`, []string{"path"})
	b := Args(`{"path":"x","note":"2"}`, []string{"path"})
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
		if got := Result(tc.a, []string{"took"}) == Result(tc.b, []string{"took"}); got != tc.same {
			t.Errorf("%s: same = %v, want %v", tc.name, got, tc.same)
		}
	}
}

// TestShapeIsWhatIsAsked: what a model varies without asking anything else
// makes no difference; names of files do.
func TestShapeIsWhatIsAsked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{`{"q":"cats","try":1}`, `{"try":22,"q":"cats"}`, true},
		{`{"q":"  Cats and\ndogs "}`, `{"q":"cats and dogs"}`, true},
		{`{"q":"news of 2026-01-02"}`, `{"q":"news of 2026-03-04"}`, true},
		{`{"id":"job-17"}`, `{"id":"job-18"}`, true},
		{`{"id":"3f2b8c1a-0d4e-4f6a-9b7c-112233445566"}`, `{"id":"aaaaaaaa-0d4e-4f6a-9b7c-112233445566"}`, true},
		{`{"url":"https://example.org/jobs?ts=1763690000"}`, `{"url":"https://example.org/jobs?ts=1763690044"}`, true},
		{`{"commit":"a1b2c3d4"}`, `{"commit":"99ffee11"}`, true},
		{`page 1 of cats`, `page 2 of cats`, true},
		{`{"path":"part1.txt"}`, `{"path":"part2.txt"}`, false},
		{`{"path":"src/a1/main.go"}`, `{"path":"src/a2/main.go"}`, false},
		{`{"url":"https://example.org/jobs/17"}`, `{"url":"https://example.org/jobs/18"}`, false},
		{`{"command":"cat log_1.txt"}`, `{"command":"cat log_2.txt"}`, false},
		{`{"q":"cats"}`, `{"q":"dogs"}`, false},
		{`{"deep":true}`, `{"deep":false}`, false},
	} {
		if got := Shape(tc.a, nil) == Shape(tc.b, nil); got != tc.same {
			t.Errorf("%s and %s are alike: %t, want %t", tc.a, tc.b, got, tc.same)
		}
	}
}

// TestNoiseOfResults: stamps and ids of requests are not progress, figures are.
func TestNoiseOfResults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{`{"state":"wait","request_id":"ab1"}`, `{"state":"wait","request_id":"ab2"}`, true},
		{`wait (request id: 7f3a)`, `wait (request id: 81bc)`, true},
		{`{"requestId":"x1","state":"wait"}`, `{"state":"wait","requestId":"y2"}`, true},
		{`{"updated_at":1763690000,"state":"wait"}`, `{"updated_at":1763690077,"state":"wait"}`, true},
		{`{"timestamp":1763690000123}`, `{"timestamp":1763690000999}`, true},
		{`2026-11-21T10:00:00Z wait`, `2026-11-21T10:00:09+01:00 wait`, true},
		{`35 %`, `40 %`, false},
		{`{"bytes":1763690000}`, `{"bytes":1763690001}`, false},
		{`{"state":"wait"}`, `{"state":"done"}`, false},
	} {
		if got := Result(tc.a, nil) == Result(tc.b, nil); got != tc.same {
			t.Errorf("%s and %s are the same: %t, want %t", tc.a, tc.b, got, tc.same)
		}
	}
}
