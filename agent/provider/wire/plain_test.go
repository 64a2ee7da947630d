package wire

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ordinary are chunks as endpoints send them by the thousand.
var ordinary = []string{
	`{"id":"a","object":"chat.completion.chunk","created":1763640000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}`,
	`{"choices":[{"delta":{"content":"a \"quoted\"\n line \u00e9\ud83d\ude00"},"index":0}]}`,
	`{"choices":[{"delta":{"reasoning_content":"hm","content":null}}],"id":"x"}`,
	`{"choices":[{"delta":{"reasoning":"hm"}}],"id":"x"}`,
	`{"choices":[{"delta":{"content":"é😀"}}]}`,
}

// others look like them.
var others = []string{
	`{"choices":[{"delta":{},"finish_reason":"stop"}]}`,
	"{\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\"}}]}",
	"{\"choices\":[{\"delta\":{\"content\":\"\x01\"}}]}",
	`{"choices":[{"delta":{"content":"a","content":"b"}}]}`,
	`{"choices":[{"delta":{"Content":"a"}}]}`,
	`{"choices":[{"delta":{"content":["a"]}}]}`,
	`{"choices":[{"delta":{"content":{"a":1}}}]}`,
	`{"choices":[{"index":1,"delta":{"content":"a"}}]}`,
	`{"choices":[{"index":0.0,"delta":{"content":"a"}}]}`,
	`{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}`,
	`{"choices":[]}`, `{"choices":null}`, `{}`, `[]`, `{"choices":[{}]}`, `{"choices":[{"delta":null}]}`,
	`{"id":7,"choices":[{"delta":{"content":"a"}}]}`,
	`{"id":"a","created":01,"choices":[{"delta":{"content":"a"}}]}`,
	`{"choices":[{"delta":{"content":"a"}}]} x`, `{"choices":[{"delta":{"content":"a"}}],}`,
	`{"choices":[{"delta":{"content":"a"},"usage":{"prompt_tokens":3}}]}`,
	`{"choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"id":"c","function":{"name":"n","arguments":""}}]}}]}`,
	`{"error":{"message":"no"},"choices":[{"delta":{"content":"a"}}]}`,
	`{"choices":[{"delta":{"content":"a\q"}}]}`, `{"choices":[{"delta":{"content":"a`,
}

// TestPlainReads: the chunks of an ordinary stream are read without encoding/json.
func TestPlainReads(t *testing.T) {
	t.Parallel()
	for _, data := range ordinary {
		var p plainChunk
		if _, plain := p.read([]byte(data)); !plain {
			t.Errorf("not plain: %s", data)
		}
	}
}

// TestPlainAgrees breaks and mixes chunks: the fast reader either declines a chunk or
// agrees with encoding/json.
func TestPlainAgrees(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	seeds := slices.Concat(ordinary, others)
	var p plainChunk
	read := 0
	for range 200_000 {
		data := []byte(seeds[r.IntN(len(seeds))])
		other := seeds[r.IntN(len(seeds))]
		for range r.IntN(3) {
			at := r.IntN(len(data))
			switch r.IntN(4) {
			case 0:
				data[at] = `{}[]",:\ nu0eE`[r.IntN(14)]
			case 1:
				data = append(data[:at:at], data[at+1:]...)
			case 2:
				data = append(data[:at:at], other[r.IntN(len(other)):]...)
			case 3:
				data = []byte(strings.ToUpper(string(data[:at])) + string(data[at:]))
			}
			if len(data) == 0 {
				break
			}
		}
		checkPlain(t, &p, data, &read)
	}
	if read < 1000 {
		t.Errorf("only %d of the chunks were plain", read)
	}
}

func checkPlain(t *testing.T, p *plainChunk, data []byte, read *int) {
	t.Helper()
	got, plain := p.read(data)
	if !plain {
		return
	}
	*read++
	var want Chunk
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatalf("read %q, which is broken: %v", data, err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(content{}), cmp.Comparer(sameRaw)); diff != "" {
		t.Fatalf("%s (-json +plain):\n%s", data, diff)
	}
}

// sameRaw takes null for nothing: no one who reads a chunk tells them apart.
func sameRaw(a, b json.RawMessage) bool { return !isError(a) && !isError(b) || string(a) == string(b) }

// BenchmarkChunk reads one chunk of an ordinary stream.
func BenchmarkChunk(b *testing.B) {
	data := []byte(ordinary[0])
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		var p plainChunk
		for b.Loop() {
			p.read(data)
		}
	})
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = decodeChunk(data)
		}
	})
}
