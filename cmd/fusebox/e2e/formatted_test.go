package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAnswersAreFormatted: what a model writes in pieces of five characters has its
// emphasis, its tildes, and its line breaks on the page.
func TestAnswersAreFormatted(t *testing.T) {
	t.Parallel()
	answers := map[string]struct {
		writes string
		shows  []string
	}{
		"chinese": {
			"**历经10年发展，**年。这是**「重要」**的点。*斜体（带括号）。*这句子。~~删除（带括号）。~~这个。",
			[]string{"<strong>历经10年发展，</strong>年。这是<strong>「重要」</strong>的点。<em lang=\"zh\">斜体（带括号）。</em>这句子。<del>删除（带括号）。</del>这个。"},
		},
		"japanese and korean": {"**「A」**なので**「B」**です。**마크다운(Markdown)**을", []string{"<strong>「A」</strong>なので<strong>「B」</strong>です。<strong>마크다운(Markdown)</strong>을"}},
		"tildes":              {"温度 10~20 度，价格 5~8 元。\n\n~~struck~~ and ~/tmp", []string{"<p dir=\"auto\">温度 10~20 度，价格 5~8 元。</p>", "<p dir=\"auto\"><del>struck</del> and ~/tmp</p>"}},
		"breaks": {
			"|a|\n|-|\n|cost<br>time<BR/>people <b>x</b>|\n\n`<br>` and <br /> stay", []string{
				"cost<br>time<br>people &lt;b&gt;x&lt;/b&gt;</td>", "<code dir=\"ltr\">&lt;br&gt;</code> and &lt;br /&gt; stay",
			},
		},
	}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
			return
		}
		message, _, err := turnOf(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		text := []rune(answers[message].writes)
		for ; len(text) > 5; text = text[5:] {
			raw, err := json.Marshal(string(text[:5]))
			if err != nil {
				panic(err)
			}
			_, _ = fmt.Fprintf(w, `data: {"id":"x","object":"chat.completion.chunk","model":"scripted","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", raw)
		}
		chunk(w, map[string]any{"content": string(text)}, "stop")
	}))
	t.Cleanup(model.Close)
	p := startProgram(t, t.TempDir(), "OPENAI_BASE_URL="+model.URL+"/v1", "FUSEBOX_MODEL=scripted")
	ana := p.admin()
	for message, answer := range answers {
		chat, run := ana.ask(message)
		ana.rests(run)
		page := ana.page(t, "/c/"+chat)
		for _, want := range answer.shows {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %s", message, want)
			}
		}
	}
}
