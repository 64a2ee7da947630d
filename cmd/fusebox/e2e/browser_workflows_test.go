package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// shippedScene is one of the workflows that come with the program, as a person plays it.
type shippedScene struct {
	name   string
	inputs map[string]string // what is typed into the form, by the names of its fields
	ticked string            // a box that is ticked
	steps  string            // as the list names them
	card   func(b *browser, words shippedWords)
	says   func(words shippedWords) string // what the answer has
}

// shippedWords are what a person writes and reads in one language.
type shippedWords struct {
	language                     string
	message, topic, options      string
	yes, approve, correct, fixed string
	kept, edits, writes, second  string
}

var shippedInWords = map[string]shippedWords{
	"English": {
		"en", "Green tea, please.", "green tea", "tea, coffee", "Yes", "Is this ready to be used", "Correct this where", "The corrected report.",
		"reused", "used for long, cheap, and disputed", "opinions about it differ", "Second version",
	},
	"Chinese": {
		"zh-CN", "请写绿茶。", "绿茶", "茶，咖啡", "是", "可以直接使用吗", "如有错误", "改过的报告。",
		"沿用", "由来已久，花费不多", "看法不一", "第二版",
	},
}

var shippedScenes = []shippedScene{
	{
		name: "content-pipeline", inputs: map[string]string{"topic": "topic", "words": "120"}, steps: "research draft edit approve",
		card: func(b *browser, words shippedWords) {
			b.sees("[data-card] .ask-why", words.approve)
			b.shoot("workflow-approve-" + words.language)
			b.do("say yes", click(`[data-card] input[type="radio"][value="1"]`), click(`[data-card] button[value="answer"]`))
		},
		says: func(words shippedWords) string { return words.edits },
	},
	{name: "compare-options", inputs: map[string]string{"options": "options"}, steps: "fit cost risks weigh"},
	{name: "code-task", steps: "code review", says: func(words shippedWords) string { return words.second }},
	{name: "expert-round", steps: "facts numbers doubts summary", says: func(words shippedWords) string { return words.writes }},
	{name: "service-triage", inputs: map[string]string{"customer": "topic"}, steps: "lead lookup compute check"},
	{
		name: "data-report", ticked: "table", steps: "analysis report correct",
		card: func(b *browser, words shippedWords) {
			b.sees("[data-card] .ask-why", words.correct)
			b.shoot("workflow-correct-" + words.language)
			b.do("correct it", until(`(document.querySelector("[data-card] [name=answer]").select(), true)`),
				typing("[data-card] [name=answer]", words.fixed), click(`[data-card] button[value="answer"]`))
		},
		says: func(words shippedWords) string { return words.fixed },
	},
}

// TestBrowserShippedWorkflows plays the workflows that come with the program as a newcomer does, in
// both languages: chosen and filled in where the message is written, followed step by step, decided
// where a person is asked, and made again from a step with something else filled in.
func TestBrowserShippedWorkflows(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	for name, words := range shippedInWords {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, p.url)
			b.speaks(words.language)
			troubles := b.watch()
			b.signIn(adminEmail)
			for _, scene := range shippedScenes {
				b.playsScene(scene, words)
			}
			for _, trouble := range troubles() {
				t.Error(trouble)
			}
		})
	}
}

func (b *browser) playsScene(scene shippedScene, words shippedWords) {
	b.t.Helper()
	b.open("/")
	b.chooses(scene, words)
	b.shoot("workflow-chosen-" + scene.name + "-" + words.language)
	b.say(words.message)
	b.do("see its steps", until(`location.pathname.startsWith("/c/")`), visible(".flow"))
	if scene.card != nil {
		b.do("be asked", visible("[data-card]"), chromedp.Reload(), visible("[data-card]"), visible(".flow .badge-warm"))
		b.fitsAPhone()
		scene.card(b, words)
	}
	b.do("see its end", visible("#transcript > .end"))
	b.do("open the steps", until(`(document.querySelector(".flow > details").open = true)`))
	if got := ask[string](b, `[...document.querySelectorAll(".flow .plan-text strong")].map((el) => el.innerText).join(" ")`); got != scene.steps {
		b.t.Errorf("the steps of %s are %s", scene.name, got)
	}
	if scene.says != nil {
		b.sees("#transcript > .answer", scene.says(words))
	}
	b.fitsAPhone()
	b.shoot("workflow-done-" + scene.name + "-" + words.language)
	b.do("reload", chromedp.Reload(), visible("#transcript > .end"), visible(".flow"))
	if scene.name == "compare-options" {
		b.goesBackTo("weigh", words)
	}
}

// chooses chooses a workflow as who answers, and fills in what it asks for.
func (b *browser) chooses(scene shippedScene, words shippedWords) {
	b.t.Helper()
	value := "workflow:" + scene.name
	b.do("choose "+scene.name, until(fmt.Sprintf(`(() => {
		const list = document.querySelector("#chat-agent");
		list.value = %q;
		list.dispatchEvent(new Event("change", { bubbles: true }));
		return list.value === %[1]q;
	})()`, value)))
	within := fmt.Sprintf("fieldset[data-inputs=%q] ", value)
	for field, typed := range scene.inputs {
		switch typed {
		case "topic":
			typed = words.topic
		case "options":
			typed = words.options
		}
		b.do("fill in "+field, typing(fmt.Sprintf(`%s[name="input.%s"]`, within, field), typed))
	}
	if scene.ticked != "" {
		b.do("tick "+scene.ticked, click(fmt.Sprintf(`%s[name="input.%s"]`, within, scene.ticked)))
	}
	if n := b.count("fieldset[data-inputs]:not([hidden])"); (n == 1) != (len(scene.inputs) > 0 || scene.ticked != "") {
		b.t.Errorf("%d forms are shown for %s", n, scene.name)
	}
}

// goesBackTo makes the answer again from a step, with something else filled in.
func (b *browser) goesBackTo(step string, words shippedWords) {
	b.t.Helper()
	b.do("go back to "+step, until(`(document.querySelector(".flow > details").open = true)`),
		click(fmt.Sprintf(`.flow a[href$="again?step=%s"]`, step)), visible(".again-steps"))
	b.sees(".again-steps", "fit")
	b.fitsAPhone()
	b.shoot("workflow-again-" + words.language)
	b.do("fill in what matters", typing(`[name="input.criteria"]`, words.topic), click(`main form .btn-primary`), until(`location.pathname.startsWith("/c/")`), visible("#transcript > .end"))
	b.do("see that nothing works any more", until(`document.querySelector("#run-state").dataset.status === "finished"`))
	b.sees(".answer .versions", "2/2")
	if got := ask[string](b, `[...document.querySelectorAll(".flow .plan-note")].map((el) => el.textContent).join("; ")`); strings.Count(got, words.kept) != 3 {
		b.t.Errorf("the steps say %s", got)
	}
	b.shoot("workflow-version-" + words.language)
}
