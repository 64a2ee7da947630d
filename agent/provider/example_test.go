package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/provider"
)

// A call to a model: deltas as they come, and the whole at the end.
func ExampleProvider_Complete() {
	endpoint := httptest.NewServer(demo.Handler(demo.Options{}))
	defer endpoint.Close()
	p, err := provider.New(provider.Config{BaseURL: endpoint.URL + "/v1", HTTPClient: http.DefaultClient})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := agent.Request{Model: "demo", Messages: []agent.Message{{Role: agent.FromUser, Content: "Say pong."}}}
	answer, err := p.Complete(context.Background(), req, func(d agent.Delta) error {
		fmt.Printf("%q\n", d.Text)
		return nil
	})
	fmt.Printf("%s (%s) %v\n", answer.Content, answer.FinishReason, err)
	// Output:
	// "one, "
	// "two, "
	// "three"
	// ", fou"
	// "r, fi"
	// "ve, p"
	// "ong"
	// one, two, three, four, five, pong (stop) <nil>
}
