package demo_test

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/provider"
)

// TestEmbeddings: texts that mean the same in two languages are nearer to each other than to
// another one, in both forms of vectors, and other models make none.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(demo.Handler(demo.Options{}))
	t.Cleanup(server.Close)
	p, err := provider.New(provider.Config{BaseURL: server.URL + "/v1", HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Embed(t.Context(), agent.EmbeddingRequest{Model: demo.EmbeddingModel, Texts: []string{"How long are backups kept?", "备份保留三十五天", "The cat eats fish."}})
	if err != nil || e.Usage.InputTokens == 0 {
		t.Fatalf("%+v, %v", e.Usage, err)
	}
	if same, other := cosine(e.Vectors[0], e.Vectors[1]), cosine(e.Vectors[0], e.Vectors[2]); same < 0.5 || other > same/2 {
		t.Errorf("%f to what means the same, %f to something else", same, other)
	}
	for body, want := range map[string]string{
		`{"model":"demo-embedding","input":"pump","encoding_format":"base64"}`:  `"embedding":"`,
		`{"model":"demo-embedding","input":["pump"],"encoding_format":"float"}`: `"embedding":[`,
		`{"model":"demo","input":"pump"}`:                                       `model_not_found`,
		`{"model":`:                                                             `invalid_request_error`,
	} {
		res, err := http.Post(server.URL+"/v1/embeddings", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if !strings.Contains(string(said), want) {
			t.Errorf("%s: %.200s", body, said)
		}
	}
}

func cosine(a, b []float32) float64 {
	var product, lengthA, lengthB float64
	for i := range a {
		product += float64(a[i]) * float64(b[i])
		lengthA += float64(a[i]) * float64(a[i])
		lengthB += float64(b[i]) * float64(b[i])
	}
	return product / math.Sqrt(lengthA*lengthB)
}
