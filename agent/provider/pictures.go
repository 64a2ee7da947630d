package provider

import (
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/models"
	"fusebox/agent/provider/wire"
)

// tokensPerImage is about what a picture takes of the prompt.
const tokensPerImage = 1000

// The rows of endpoints that refuse pictures: those of this model, or of this request.
var (
	noImages = quirk{name: "no-images", leaves: (*outgoing).withoutImages}
	badImage = quirk{name: "without-these-images", leaves: (*outgoing).withoutImages, once: true}
)

func (o *outgoing) withoutImages() { o.sees = false }

// illustrated is the history with its pictures, for a model that sees.
func (o *outgoing) illustrated() []agent.Message {
	if !o.sees {
		return o.history
	}
	return history.Illustrate(o.history)
}

// noteSight remembers which models the endpoint says to see.
func (p *Provider) noteSight(list []models.Model) {
	sight := make(map[string]bool, len(list))
	for _, m := range list {
		sight[m.ID] = m.Vision
	}
	p.sight.Store(&sight)
}

// listsSight reports whether a model sees by the endpoint's list, or, as long as it is in
// none, by its name.
func (p *Provider) listsSight(name string) bool {
	if list := p.sight.Load(); list != nil {
		if sees, listed := (*list)[name]; listed {
			return sees
		}
	}
	return models.NamesSight(name)
}

// sees reports whether a model is sent pictures. What is configured or listed counts more
// than its name, and what it has refused most.
func (p *Provider) sees(m Model) bool {
	return m.Vision && !slices.Contains(p.capabilities.of(m.Name, p.clock.Now()), noImages.name)
}

// refusedImages is the row that a refusal of a request with pictures calls for. Endpoints
// refuse them with all kinds of status.
func refusedImages(f *wire.Failure, learned []string) (quirk, bool) {
	text := strings.ToLower(f.API.Text)
	in := func(w string) bool { return strings.Contains(text, w) }
	if f.Status < 400 || f.Status == 401 || f.Status == 403 || f.Status == 429 || !slices.ContainsFunc(namingImages, in) && f.Status != 413 {
		return quirk{}, false
	}
	row := badImage
	if slices.ContainsFunc(refusingImages, in) && !slices.ContainsFunc(oddImages, in) {
		row = noImages
	}
	return row, !slices.Contains(learned, row.name)
}

// namingImages are words for pictures in refusals. refusingImages are those with which a
// model is said to take none at all, oddImages those about one that it cannot read.
var (
	namingImages   = []string{"image", "multimodal", "multi-modal", "vision", "mmproj", "content type", "a string", "expected string", "item type"}
	refusingImages = append([]string{
		"only supported by", "expected `text`", "expected 'text'", "at most 0", "not a multimodal", "not multimodal", "not a vision", "mmproj",
		"does not accept", "cannot read image", "cannot process image input", "no endpoints found", "text only", "text-only", "required for image input",
		"not enabled", "a string", "expected string", "item type",
	}, refusing...)
	oddImages = []string{"format", "uploaded", "decode", "parse", "too large", "exceed", "dimension", "corrupt", "pixel", "could not process"}
)
