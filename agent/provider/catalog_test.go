package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAWebPageIsNoListOfModels: what is not a list is a failure of the endpoint.
func TestAWebPageIsNoListOfModels(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(`<html>`))
	p, _ := newProvider(t, srv.URL)
	if _, err := p.Models(t.Context()); err == nil {
		t.Error("a web page is a list of models")
	}
}

// TestLongListOfModels: more than a thousand are known.
func TestLongListOfModels(t *testing.T) {
	t.Parallel()
	var entries []string
	for i := range 2500 {
		entries = append(entries, fmt.Sprintf(`{"id":"vendor/model-%d"}`, i))
	}
	srv := serve(t, raw(`{"data":[`+strings.Join(entries, ",")+`]}`))
	p, _ := newProvider(t, srv.URL)
	if list, err := p.Models(t.Context()); err != nil || len(list) != 2500 {
		t.Errorf("%d models, %v", len(list), err)
	}
}

// TestModelsThatDoNotChat are told by what their endpoint says of them, and else by
// their names.
func TestModelsThatDoNotChat(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(`{"data":[
		{"id":"gpt-5"},{"id":"text-embedding-3-large"},{"id":"tts-1-hd"},{"id":"whisper-1"},{"id":"dall-e-3"},{"id":"gpt-image-1"},{"id":"omni-moderation-latest"},
		{"id":"cohere/rerank-v3.5"},{"id":"nomic-embed-text:latest"},{"id":"gpt-4o-transcribe"},{"id":"qwen2.5-coder"},{"id":"gpt-4o-realtime-preview"},
		{"id":"plain","type":"embedding"},{"id":"a/image-talker","type":"chat"},{"id":"m1","capabilities":{"completion_chat":false}},
		{"id":"m2","capabilities":{"completion_chat":true}},{"id":"painter","architecture":{"output_modalities":["image"]}},
		{"id":"gemini-image","architecture":{"output_modalities":["image","text"]}},{"id":"v/voice","task":"text-to-speech"},{"id":"c","endpoints":["embed","rerank"]},
		{"id":"imagine-chat"},{"id":"mistral-large"}]}`))
	p, _ := newProvider(t, srv.URL, func(c *Config) { c.Models = []Model{{Name: "whisper-1"}} })
	r, err := NewRouter(Endpoints{Offered: []*Provider{p}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Refresh(t.Context())
	var chat []string
	for _, m := range r.Models() {
		if !m.NoChat {
			chat = append(chat, m.ID)
		}
	}
	want := []string{"whisper-1", "gpt-5", "qwen2.5-coder", "a/image-talker", "m2", "gemini-image", "imagine-chat", "mistral-large"}
	if diff := cmp.Diff(want, chat); diff != "" {
		t.Errorf("models that chat (-want +got):\n%s", diff)
	}
}

// TestEndpointsThatFailAreAskedAgain, and those that list their models are not.
func TestEndpointsThatFailAreAskedAgain(t *testing.T) {
	t.Parallel()
	late := serve(t, status(http.StatusServiceUnavailable, "starting"), raw(`["late"]`))
	well := serve(t, raw(`["well"]`))
	one, _ := newProvider(t, well.URL)
	two, _ := newProvider(t, late.URL, func(c *Config) { c.Name = "two" })
	r, err := NewRouter(Endpoints{Offered: []*Provider{one, two}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Refresh(t.Context())
	r.RefreshFailed(t.Context())
	r.RefreshFailed(t.Context())
	if n := len(r.Models()); n != 2 || len(well.requests()) != 1 || len(late.requests()) != 2 {
		t.Errorf("%d models after %d and %d requests", n, len(well.requests()), len(late.requests()))
	}
}
