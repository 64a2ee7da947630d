package demo

import (
	_ "embed" // the table of concepts is a file
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"fusebox/agent/demo/wire"
	"fusebox/agent/ranking"
)

// EmbeddingModel is the name of the demo model of embeddings.
const EmbeddingModel = "demo-embedding"

// The vectors: their length, and how much a concept counts beside a word.
const (
	embeddingSize = 256
	conceptWeight = 4
)

// concepts are words of two languages that mean the same, a concept a line.
//
//go:embed concepts.txt
var concepts string

// conceptsOf are the concepts of English terms, and of Chinese words.
var conceptsOf = sync.OnceValues(func() (english, chinese map[string]string) {
	english, chinese = map[string]string{}, map[string]string{}
	for line := range strings.Lines(concepts) {
		words := strings.Fields(line)
		for _, word := range words {
			if word[0] >= 0x80 {
				chinese[word] = words[0]
				continue
			}
			for _, t := range ranking.Terms(word) {
				english[t.Text] = words[0]
			}
		}
	}
	return english, chinese
})

// vectorOf adds up a direction for each word of a text, and for each concept in it.
func vectorOf(text string) []float32 {
	english, chinese := conceptsOf()
	seen := map[string]float32{}
	for _, t := range ranking.Question(text) {
		seen["word "+t.Text] = 1
		if c := english[t.Text]; c != "" {
			seen["concept "+c] = conceptWeight
		}
	}
	for word, c := range chinese {
		if strings.Contains(text, word) {
			seen["concept "+c] = conceptWeight
		}
	}
	v := make([]float32, embeddingSize)
	v[0] = 0.1 // a text without a word has a direction too
	for _, feature := range slices.Sorted(maps.Keys(seen)) {
		h := fnv.New64a()
		_, _ = io.WriteString(h, feature) // never fails
		sum := h.Sum64()
		for range 4 {
			v[sum%embeddingSize] += seen[feature] * float32(1-2*int(sum>>32&1))
			sum = sum*0x9e3779b97f4a7c15 + 1
		}
	}
	return v
}

// inputs is a text, or a list of texts.
type inputs []string

func (in *inputs) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*in = inputs{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(in))
}

// embeddings is POST /v1/embeddings.
func (s *server) embeddings(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model  string `json:"model"`
		Input  inputs `json:"input"`
		Format string `json:"encoding_format"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		s.refuse(w, http.StatusBadRequest, "", wire.BadJSON+err.Error())
		return
	}
	if req.Model != EmbeddingModel {
		s.refuse(w, http.StatusNotFound, "model_not_found", "The model `"+req.Model+"` makes no embeddings. `"+EmbeddingModel+"` does.")
		return
	}
	data, tokens := []any{}, 0
	for i, text := range req.Input {
		tokens += len(ranking.Terms(text))
		vector := vectorOf(text)
		item := map[string]any{"object": "embedding", "index": i, "embedding": vector}
		if req.Format == "base64" {
			raw, _ := binary.Append(nil, binary.LittleEndian, vector) // numbers always encode
			item["embedding"] = base64.StdEncoding.EncodeToString(raw)
		}
		data = append(data, item)
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "model": EmbeddingModel, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
}
