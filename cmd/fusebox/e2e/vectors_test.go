package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
	"fusebox/agent/demo"
)

// TestDoctorTriesTheModelOfEmbeddings names what is wrong with a model, and tells how long the
// vectors of one are that works.
func TestDoctorTriesTheModelOfEmbeddings(t *testing.T) {
	t.Parallel()
	for model, says := range map[string]string{
		"demo-embedding":   "with vectors of 256 dimensions",
		"text-embedding-9": "does not know this address or model (404)",
	} {
		status, out, said := with(t, []string{"FUSEBOX_DATA=" + t.TempDir(), "FUSEBOX_KNOWLEDGE_EMBEDDING_MODEL=" + model}, "", "doctor")
		if status != exitTripped && model != demo.EmbeddingModel || !strings.Contains(out, says) || !strings.Contains(out, "passages\t0, about 0 tokens") {
			t.Errorf("doctor (%d) says %s%s", status, out, said)
		}
	}
}

// TestDocumentsByMeaning: what was embedded is found in the other language, in words that no concept has, also after a restart,
// and the bill has it, under no run.
func TestDocumentsByMeaning(t *testing.T) {
	t.Parallel()
	vectors := httptest.NewServer(demo.Handler(demo.Options{}))
	t.Cleanup(vectors.Close)
	file := filepath.Join(t.TempDir(), "fusebox.toml")
	must(t, os.WriteFile(file, fmt.Appendf(nil, `
		[knowledge]
		embedding_model = "near/demo-embedding"
		[[providers]]
		name = "near"
		base_url = "%s/v1"
		[[providers.models]]
		name = "demo-embedding"
		price = {input = 0.02, output = 0}
		`, vectors.URL), 0o600))
	h := startInstance(t, "FUSEBOX_CONFIG="+file)
	h.ana.adds("beds.md", "Potatoes go into the soil once the frost is over.")
	found := func() bool {
		_, raw := h.ana.call(http.MethodGet, "/api/v1/search?q=%E9%A9%AC%E9%93%83%E8%96%AF%E7%A7%8D%E6%A4%8D", "")
		return strings.Contains(string(raw), `"name":"beds.md"`)
	}
	agenttest.Eventually(t, "the Chinese question finds the English answer", found)
	h.restart(t)
	if !found() {
		t.Error("it is not found after a restart")
	}
	if _, raw := h.ana.call(http.MethodGet, "/api/v1/spend?group=model&mine=true", ""); !strings.Contains(string(raw), `"key":"near/demo-embedding","runs":0`) {
		t.Errorf("spent: %s", raw)
	}
}
