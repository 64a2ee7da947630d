package o200k_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"fusebox/agent/provider/o200k"
)

var update = flag.Bool("update", false, "write the table anew")

// TestTable: it is that of the published vocabulary.
func TestTable(t *testing.T) {
	t.Parallel()
	var lengths, tokens []byte
	published := codec.NewO200kBase()
	for rank := uint(0); ; rank++ {
		token, err := published.Decode([]uint{rank})
		if err != nil {
			break
		}
		lengths, tokens = binary.AppendUvarint(lengths, uint64(len(token))), append(tokens, token...)
	}
	want := append(append(lengths, 0), tokens...)
	const path = "o200k.deflate"
	if *update {
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(want)
		_ = w.Close()
		if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := got.ReadFrom(flate.NewReader(bytes.NewReader(packed))); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the table has %d bytes, want %d; run with -update (%v)", got.Len(), len(want), err)
	}
}

// seeds are texts on whose cuts the expression of pieces is particular.
var seeds = []string{
	"", "hello world", "\u4f60\u597d\uff0c\u4e16\u754c", "don't WE'LL I'D x'Re 's 'S I'\u017f", "HTTPServer parseURLs ABc aBC A1b2",
	"  two\n\n three \t \r\n  ", "1234567 \u00b2\u00bd\u2163", "a/b//c!!!/\n/\r\n...", "\u0301ABC x\u0301Y\u0301 \u0301\u0302", "\u01c5\u02b0\u4e00Ab",
	"\u00a0\u3000\u2003x\u0085y", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0645\u0631\u062d\u0628\u0627", "\U0001f468\u200d\U0001f469 \u270c\U0001f3fd", "\xff\xfe a\xe4\xbd", "<|endoftext|>",
	strings.Repeat("ab", 300), strings.Repeat("\u4f60\u597d\u4e16\u754c", 60), strings.Repeat(" ", 200) + "x", strings.Repeat("=", 150),
}

// TestCountsLikeThePublishedCodec: on texts in whose pieces all its rules are mixed.
func TestCountsLikeThePublishedCodec(t *testing.T) {
	t.Parallel()
	published := codec.NewO200kBase()
	for _, text := range seeds {
		compare(t, published, text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	all := []rune(strings.Join(seeds, ""))
	for range 5000 {
		text := make([]rune, random.IntN(24))
		for i := range text {
			text[i] = all[random.IntN(len(all))]
		}
		compare(t, published, string(text))
	}
}

func FuzzCount(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	published := codec.NewO200kBase()
	f.Fuzz(func(t *testing.T, text string) { compare(t, published, text) })
}

// compare leaves out what is not UTF-8, of which both count something, and the character
// DEL, which the published codec leaves out.
func compare(t *testing.T, published *codec.Codec, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.ContainsRune(text, '\x7f') {
		return
	}
	want, err := published.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := o200k.Count(text); got != want {
		_, tokens, _ := published.Encode(text)
		t.Errorf("%q has %d tokens, want %d: %q", text, got, want, tokens)
	}
}

func BenchmarkCount(b *testing.B) {
	for name, text := range map[string]string{
		"English": strings.Repeat("The quick brown fox jumps over 13 lazy dogs, again and again.\n", 100),
		"Chinese": strings.Repeat("\u654f\u6377\u7684\u68d5\u8272\u72d0\u72f8\u8df3\u8fc7\u61d2\u72d7\uff0c\u4e00\u6b21\u53c8\u4e00\u6b21\u3002\n", 100),
		"word":    strings.Repeat("x7fQ", 8<<10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				o200k.Count(text)
			}
		})
	}
}
