package telemetry

import (
	"strings"
	"sync"
)

// other is the label of everything beyond a bound.
const other = "other"

// The bounds of labels: how many values one may have, and how long one is.
const (
	maxModels     = 100
	maxLabelBytes = 128
)

// bounded hands out the values of a label: the first ones as they are, all
// others as "other". A value keeps the label that it got.
type bounded struct {
	max int

	mu    sync.Mutex
	known map[string]bool
}

func newBounded(n int) *bounded { return &bounded{max: n, known: map[string]bool{}} }

func (b *bounded) label(value string) string {
	value = clean(value)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.known[value] {
		if len(b.known) >= b.max {
			return other
		}
		b.known[value] = true
	}
	return value
}

// clean makes a text fit for a label: short, and of whole characters.
func clean(text string) string {
	if len(text) > maxLabelBytes {
		text = text[:maxLabelBytes]
	}
	return strings.ToValidUTF8(text, "")
}

// providerNames are the well-known values of gen_ai.provider.name for families
// of endpoints, where they differ.
var providerNames = map[string]string{
	"":        "openai",
	"azure":   "azure.ai.openai",
	"gemini":  "gcp.gemini",
	"kimi":    "moonshot_ai",
	"mistral": "mistral_ai",
}

// ProviderName is the value of gen_ai.provider.name for a family of endpoints.
func ProviderName(family string) string {
	if name, ok := providerNames[family]; ok {
		return name
	}
	return family
}
