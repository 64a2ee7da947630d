package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// looking is a request of a run whose calls had results with so many pictures each.
func looking(pictures ...int) agent.Request {
	req := agent.Request{
		Model: "m", Memory: &agent.Memory{}, RunID: "r", Messages: []agent.Message{{Role: agent.FromUser, Content: "look"}},
		OpenImage: func(runID, name string) ([]byte, error) {
			if name == "gone" {
				return nil, agent.Errorf(agent.NotFound, "It is gone.")
			}
			return []byte(runID + " " + name), nil
		},
	}
	for i, n := range pictures {
		id := fmt.Sprint("c", i)
		req.Messages = append(req.Messages, agent.Message{Role: agent.FromAssistant, ToolCalls: streamtest.Calls(agent.CallRequest{ID: id, Name: "f", Arguments: "{}"})},
			agent.Message{Role: agent.FromTool, ToolCallID: id, Content: "[image/png]", RunID: "r"})
		for k := range n {
			m := &req.Messages[len(req.Messages)-1]
			m.Images = append(m.Images, agent.Image{Name: fmt.Sprint(i, "/", k), Type: "image/png", Bytes: 1 << 10})
		}
	}
	return req
}

func seeing(c *Config) {
	c.Models = []Model{{Name: "m", Vision: true}, {Name: "strict", Family: Mistral, Vision: true}}
}

// shown are the pictures of a request.
func shown(body string) int {
	return strings.Count(body, `"image_url":{"url":"data:image/png;base64,`)
}

// TestPicturesOfARequest: they are the person's, right behind the results, and never two
// messages of theirs in a row; so many as a request may have, and where the oldest are left
// out, several at once.
func TestPicturesOfARequest(t *testing.T) {
	t.Parallel()
	reminded := looking(1)
	reminded.Messages = append(reminded.Messages, agent.Message{Role: agent.FromUser, Content: "go on"})
	lost := looking(2)
	lost.Messages[2].Images[0].Name = "gone"
	large := looking(8, 1)
	for _, m := range large.Messages {
		for i := range m.Images {
			m.Images[i].Bytes = agent.MaxImageBytes
		}
	}
	strict := looking(1)
	strict.Model = "strict"
	twice := looking(1)
	twice.Messages = append(twice.Messages, agent.Message{Role: agent.FromUser, Content: "go on"}, agent.Message{Role: agent.FromUser, Content: "and on"})
	blind := looking(1)
	blind.Model = "other"
	for name, row := range map[string]struct {
		req   agent.Request
		roles string
		shown int
	}{
		"none":                 {looking(0), "user assistant tool", 0},
		"behind each answer":   {looking(1, 0, 2), "user assistant tool user assistant tool assistant tool user", 3},
		"beside a reminder":    {reminded, "user assistant tool user", 1},
		"one that is gone":     {lost, "user assistant tool user", 1},
		"one too many":         {looking(8, 8, 5), "user assistant tool user assistant tool user assistant tool user", 17},
		"three more than that": {looking(8, 8, 8), "user assistant tool user assistant tool user assistant tool user", 20},
		"too large together":   {large, "user assistant tool assistant tool user", 1},
		"a template that wants an answer between": {strict, "user assistant tool assistant user", 1},
		"beside two reminders":                    {twice, "user assistant tool user", 1},
		"a model that is not known to see":        {blind, "user assistant tool", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, raw(streamtest.Good))
			p, _ := newProvider(t, srv.URL, seeing)
			if _, err := p.Complete(t.Context(), row.req, (&watcher{}).sink); err != nil {
				t.Fatal(err)
			}
			body := srv.requests()[0]
			var roles []string
			for _, m := range read(t, body).Messages {
				roles = append(roles, m.Role)
			}
			if got := strings.Join(roles, " "); got != row.roles || shown(body) != row.shown {
				t.Errorf("%d pictures in %s", shown(body), got)
			}
			if name == "beside a reminder" && !strings.Contains(body, `{"type":"text","text":"go on"}]`) {
				t.Errorf("the reminder is lost: %s", body)
			}
			without := row.req
			without.Model = "other"
			if more := p.CountPrompt(row.req) - p.CountPrompt(without); name != "one that is gone" && more != int64(1000*row.shown) {
				t.Errorf("the pictures count %d tokens", more)
			}
		})
	}
}

// TestPicturesThatAreRefused: a chat goes on without them, whatever an endpoint says and
// with which status; a model that takes none is sent none again, one that could not read
// these is.
func TestPicturesThatAreRefused(t *testing.T) {
	t.Parallel()
	for says, row := range map[string]struct {
		status int
		learns bool
	}{
		"Invalid content type. image_url is only supported by certain models.":                                                             {400, true},
		"Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text`":              {422, true},
		"No endpoints found that support image input":                                                                                      {404, true},
		"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj":                                   {500, true},
		"At most 0 image(s) may be provided in one prompt.":                                                                                {400, true},
		"messages[3].content must be a string":                                                                                             {400, true},
		"Model does not support images. Please use a model that does.":                                                                     {400, true},
		"this model is missing data required for image input":                                                                              {500, true},
		"Unexpected item type in content.":                                                                                                 {400, true},
		"You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].": {400, false},
		"Could not process image": {400, false},
		"messages.3.content.1.image.source.base64: image exceeds 5 MB maximum": {400, false},
		"Request Entity Too Large": {413, false},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			refusal, _ := json.Marshal(map[string]any{"error": map[string]any{"message": says}})
			var srv *script
			srv = serve(t, func(w http.ResponseWriter, r *http.Request) {
				if all := srv.requests(); shown(all[len(all)-1]) > 0 {
					status(row.status, string(refusal))(w, r)
					return
				}
				raw(streamtest.Good)(w, r)
			})
			p, _ := newProvider(t, srv.URL, seeing)
			for range 2 {
				if _, err := p.Complete(t.Context(), looking(1), (&watcher{}).sink); err != nil {
					t.Fatal(err)
				}
			}
			want := 4
			if row.learns {
				want = 3
			}
			if n := len(srv.requests()); n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
		})
	}
}
