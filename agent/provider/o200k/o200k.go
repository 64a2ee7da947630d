// Package o200k counts the tokens of texts with the byte-pair encoding o200k_base.
//
// It imports nothing of ours. Its table is kept deflated, which takes a sixth of
// what the same table takes as Go values, and is read at its first use.
package o200k

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"io"
	"sync"
)

// table is the deflated vocabulary: the lengths of all tokens in the order of their
// ranks, each a varint, a zero, and the tokens themselves.
//
//go:embed o200k.deflate
var table []byte

// ranks says how early a token was learned: of two neighbours, those whose
// union has the lowest rank are merged first.
var ranks = sync.OnceValue(func() map[string]uint32 {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(table)))
	if err != nil {
		panic(err) // the table is part of the program
	}
	var lengths []int
	for {
		n, size := binary.Uvarint(raw)
		raw = raw[size:]
		if n == 0 {
			break
		}
		lengths = append(lengths, int(n))
	}
	tokens, ranks := string(raw), make(map[string]uint32, len(lengths))
	for rank, n := range lengths {
		ranks[tokens[:n]] = uint32(rank)
		tokens = tokens[n:]
	}
	return ranks
})

// Count returns the number of tokens of a text. It takes as long as the text, times
// the logarithm of its longest word, and is safe for concurrent use.
func Count(text string) int {
	tokens := 0
	for ranks := ranks(); text != ""; {
		n := pieceLen(text)
		tokens += merged(ranks, text[:n])
		text = text[n:]
	}
	return tokens
}
