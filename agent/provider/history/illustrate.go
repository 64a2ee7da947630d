package history

import (
	"encoding/base64"
	"slices"

	"fusebox/agent"
)

// Bounds of the pictures of a request: how many, and their bytes together. Where they do not
// fit, the oldest are left out, as many at once as leaveOut: so the requests behind that
// begin alike, and their prefix stays cached.
const (
	maxImages     = 20
	maxImageBytes = leaveOut * agent.MaxImageBytes
	leaveOut      = 4
)

// Illustrate returns a history in which the pictures of results are the person's, right
// behind the results of their answer: the protocol has none in results. One without pictures
// stays as it is.
func Illustrate(history []agent.Message) []agent.Message {
	skip := leftOut(history)
	if skip < 0 {
		return history
	}
	out := make([]agent.Message, 0, len(history)+1)
	var waiting agent.Message // has the pictures of the results just seen
	for _, m := range history {
		if m.Role != agent.FromTool {
			switch { // two messages of the person's in a row are refused by some endpoints
			case len(waiting.Images) == 0:
			case m.Role == agent.FromUser:
				m.RunID, m.Images = waiting.RunID, waiting.Images
			default:
				out = append(out, waiting)
			}
			out, waiting = append(out, m), agent.Message{}
			continue
		}
		images := m.Images[min(skip, len(m.Images)):]
		skip -= len(m.Images) - len(images)
		if len(images) > 0 {
			waiting = agent.Message{Role: agent.FromUser, RunID: m.RunID, Images: append(waiting.Images, images...)}
		}
		m.Images = nil
		out = append(out, m)
	}
	if len(waiting.Images) > 0 {
		out = append(out, waiting)
	}
	return out
}

// Pictures counts the pictures of a history that are sent.
func Pictures(history []agent.Message) (n int) {
	for _, m := range history {
		n += len(m.Images)
	}
	return n - max(leftOut(history), 0)
}

// leftOut counts the first pictures that do not fit; -1 if there are none at all.
func leftOut(history []agent.Message) int {
	n, fit, size := 0, 0, int64(0)
	for _, m := range slices.Backward(history) {
		for _, img := range slices.Backward(m.Images) {
			if size += img.Bytes; fit == n && fit < maxImages && size <= maxImageBytes {
				fit++
			}
			n++
		}
	}
	if n == 0 {
		return -1
	}
	return (n - fit + leaveOut - 1) / leaveOut * leaveOut
}

const said = "The images of the results above, in their order:"

// illustrated is a message with pictures as the protocol has it.
type illustrated struct {
	Role    string `json:"role"`
	Content []part `json:"content"`
}

type part struct {
	Type  string    `json:"type"`
	Text  string    `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// OpenImage reads a picture of a run's results.
type OpenImage func(runID, name string) ([]byte, error)

// illustrated writes a message of the person's with pictures.
func (open OpenImage) illustrated(m agent.Message) illustrated {
	out := illustrated{Role: "user", Content: []part{{Type: "text", Text: said}}}
	for _, img := range m.Images {
		data, err := open(m.RunID, img.Name)
		if err != nil {
			out.Content = append(out.Content, part{Type: "text", Text: "[an image that is not kept any more]"})
			continue
		}
		url := &imageURL{"data:" + img.Type + ";base64," + base64.StdEncoding.EncodeToString(data)}
		out.Content = append(out.Content, part{Type: "image_url", Image: url})
	}
	if m.Content != "" {
		out.Content = append(out.Content, part{Type: "text", Text: m.Content})
	}
	return out
}
