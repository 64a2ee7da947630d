package text

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
)

func TestRecorded(t *testing.T) {
	t.Parallel()
	for english, want := range map[string]string{
		"There is no such run.": "没有这次运行。",
		`run_shell failed 3 times with the same error: "exit code 1".`:                                              `run_shell 失败了 3 次，错误相同："exit code 1"。`,
		"search was called 9 times with nearly identical arguments, and the result did not change.":                 "search 以几乎相同的参数调用了 9 次，结果没有变化。",
		"calculator was called 8 times in a row with the same arguments.":                                           "calculator 以相同的参数连续调用了 8 次。",
		"12 identical calls of get_weather, but the result changed, last at call 9.":                                "get_weather 有 12 次相同的调用，但结果有变化，最近一次在第 9 次调用。",
		"Aborted by ana@example.org. No tools ran. Send a message to continue from here.":                           "由 ana@example.org 中止。没有运行任何工具。发送一条消息即可从这里继续。",
		"Only a reviewer can decide a call of high risk.":                                                           "高风险的调用只能由审核员处理。",
		"password: is too short; use at least 12 characters":                                                        "password：过短；至少 12 个字符",
		"The budget of the group Sales for this month is used up: $5.00 of $5.00. Runs that need more are stopped.": "用户组 Sales（本月）的预算已用完：$5.00 / $5.00。需要更多的运行会被停止。",
		"The model server could not be reached. Gave up after 3 attempts.":                                          "模型服务器无法连接。 尝试 3 次后放弃。",
		"The model was asked again (1 of 2): it wrote a tool call as text, and there is no tool of that name.":      "已再次询问模型（第 1 次，共 2 次）：它把工具调用写成了文本，而没有这个名称的工具。",
		"The model wrote a tool call as text. It was not run: it is not whole.":                                     "模型把工具调用写成了文本。没有运行它：调用不完整。",
		"What a person wrote. There is no such run.":                                                                "What a person wrote. 没有这次运行。",
		"100% of it": "100% of it",
	} {
		if got := printerOf(language.SimplifiedChinese).Recorded(english); got != want {
			t.Errorf("%s\n got %s\nwant %s", english, got, want)
		}
		if got := printerOf(language.English).Recorded(english); got != english {
			t.Errorf("in English: %s became %s", english, got)
		}
	}
}

// spokenIn are the packages whose sentences people read, apart from what is said to
// the model and on the command line.
var spokenIn = []string{"agent", "agent/policy", "agent/guards", "agent/service", "agent/schema", "agent/tools", "agent/tools/accepted", "agent/tools/mcp", "store", "web", "web/access", "web/live", "web/page", "web/request", "web/session"}

// TestRecordedHasAll finds every refusal and every reason of the server in the translations.
func TestRecordedHasAll(t *testing.T) {
	t.Parallel()
	chinese := printerOf(language.SimplifiedChinese)
	for _, s := range sources(t, "agent", "store", "web") {
		folder, err := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(s.path))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(spokenIn, filepath.ToSlash(folder)) || filepath.Base(s.path) == "history.go" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			format, ok := refusal(n)
			if !ok && strings.HasPrefix(filepath.Base(s.path), "danger_") {
				format, ok = danger(n)
			}
			if ok && !slices.Contains(composed, format) && strings.Trim(argument.ReplaceAllString(format, ""), ": ") != "" {
				if english := sample(format); chinese.Recorded(english) == english {
					t.Errorf("%s: no translation of %q", s.at(n), format)
				}
			}
			return true
		})
	}
}

// refusal is the format of a call that makes an error for people, or of a verdict's message.
func refusal(n ast.Node) (string, bool) {
	switch x := n.(type) {
	case *ast.CallExpr:
		name := called(x)
		at := map[string]int{"Errorf": 1, "InvalidField": 1, "Wrap": 2}[name]
		if at == 0 || at >= len(x.Args) || ownerOf(x) == "fmt" {
			return "", false
		}
		return stringOf(x.Args[at])
	case *ast.KeyValueExpr:
		key, _ := x.Key.(*ast.Ident)
		format, ok := x.Value.(*ast.CallExpr)
		if key == nil || key.Name != "Message" || !ok || called(format) != "Sprintf" {
			return "", false
		}
		return stringOf(format.Args[0])
	}
	return "", false
}

// danger is a reason of a rule about commands.
func danger(n ast.Node) (string, bool) {
	x, ok := n.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	text, ok := stringOf(x)
	return text, ok && strings.HasSuffix(text, ".") && strings.HasPrefix(text, "The ")
}

// composed are formats whose last arguments are words of ours; TestRecorded has samples.
var composed = []string{"%s failed %d times %s%s", "%s was called %d times %s."}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func ownerOf(c *ast.CallExpr) string {
	if f, ok := c.Fun.(*ast.SelectorExpr); ok {
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name
		}
	}
	return ""
}

// sample is a text that a format makes.
func sample(format string) string {
	n := 0
	return strings.ReplaceAll(argument.ReplaceAllStringFunc(format, func(string) string { n++; return fmt.Sprint("x", n) }), "%%", "%")
}

// TestRecordedHasNoMore finds every translation's longest words in the sources.
func TestRecordedHasNoMore(t *testing.T) {
	t.Parallel()
	var program strings.Builder
	for _, s := range sources(t, "agent", "store", "web") {
		raw, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		program.Write(raw)
	}
	said := strings.ReplaceAll(program.String(), `\"`, `"`)
	all, err := readRecorded(language.MustParse("zh"))
	if err != nil {
		t.Fatal(err)
	}
	for english := range all.exact {
		if !occurs(said, english) {
			t.Errorf("nothing says %q", english)
		}
	}
	for _, f := range all.phrases {
		longest := slices.MaxFunc(f.parts, func(a, b string) int { return len(a) - len(b) })
		if !occurs(said, strings.ReplaceAll(longest, "%", "%%")) && !occurs(said, longest) {
			t.Errorf("nothing says %q", longest)
		}
	}
}

// occurs reports whether the program has a text, which may be made of a few pieces.
func occurs(program, text string) bool {
	text = strings.Trim(text, " .:,“”()")
	for range 4 {
		n := len(text)
		for n > 0 && !strings.Contains(program, text[:n]) {
			n--
		}
		text = strings.TrimSpace(text[n:])
		if text == "" {
			return true
		}
		if n < 5 {
			return false
		}
	}
	return false
}
