package text

import (
	"cmp"
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
		"Aborted by system. No tools ran. Send a message to continue from here.":                                    "由系统中止。没有运行任何工具。发送一条消息即可从这里继续。",
		"Aborted by ana@example.org. No tools ran. Send a message to continue from here.":                           "由 ana@example.org 中止。没有运行任何工具。发送一条消息即可从这里继续。",
		"Only a reviewer can decide a call of high risk.":                                                           "高风险的调用只能由审核员处理。",
		"password: is too short; use at least 12 characters":                                                        "password：过短；至少 12 个字符",
		"The budget of the group Sales for this month is used up: $5.00 of $5.00. Runs that need more are stopped.": "用户组 Sales（本月）的预算已用完：$5.00 / $5.00。需要更多的运行会被停止。",
		"The model server could not be reached. Gave up after 3 attempts.":                                          "模型服务器无法连接。 尝试 3 次后放弃。",
		"hand has shown no progress for 10 minutes: it waits for a decision.":                                       "hand 已有 10 分钟没有进展：正在等待决定。",
		"hand has shown no progress for 25 minutes: it works on run_shell.":                                         "hand 已有 25 分钟没有进展：正在执行 run_shell。",
		"lead has shown no progress for 10 minutes: it waits for hand.":                                             "lead 已有 10 分钟没有进展：正在等待 hand。",
		"lead has shown no progress for 10 minutes: it waits for the model.":                                        "lead 已有 10 分钟没有进展：正在等待模型。",
		"lead has shown no progress for 10 minutes: it waits for a place.":                                          "lead 已有 10 分钟没有进展：正在排队。",
		"The model was asked again (1 of 2): it wrote a tool call as text, and there is no tool of that name.":      "已再次询问模型（第 1 次，共 2 次）：它把工具调用写成了文本，而没有这个名称的工具。",
		"The model was asked again (2 of 2): it wrote a tool call as text, and it was cut off at the output limit.": "已再次询问模型（第 2 次，共 2 次）：它把工具调用写成了文本，而调用因达到输出上限而被截断。",
		"The model wrote a tool call as text. It was not run: it is not whole.":                                     "模型把工具调用写成了文本。没有运行它：调用不完整。",
		"What a person wrote. There is no such run.":                                                                "What a person wrote. 没有这次运行。",
		"Instructions for the tool look, version 1a":                                                                "工具 look 的说明，版本 1a",
		"The model server broke its tool calls off. Gave up after 4 attempts.":                                      "模型服务器中断了自己的工具调用。 尝试 4 次后放弃。",
		"The model server rejected the conversation as too long (400): maximum context is 9":                        "模型服务器认为对话过长（400）：maximum context is 9",
		"The run has reached its limit of running time. The model was asked to hand in what it has.":                "这次运行已达到运行时间的上限。已请模型交付现有的结果。",
		"The run could not hand in what it had. Done: look. The time limit was reached.":                            "运行未能交付现有的结果。已完成：look。已达到时间上限。",
		"82% of the budget of bob is used: 41.2k of 1.3M tokens.":                                                   "bob的预算已使用 82%：4.1 万 / 130 万个 Token。",
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
var spokenIn = []string{"agent", "agent/policy", "agent/guards", "agent/service", "agent/documents", "agent/imports", "agent/schema", "agent/tools", "agent/tools/accepted", "agent/tools/mcp", "store", "web", "web/access", "web/live", "web/page", "web/request", "web/session"}

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

// toldIn are the packages whose events, and failures of endpoints, people read.
var toldIn = []string{"agent/loop", "agent/provider", "agent/provider/answer", "agent/provider/wire"}

// TestRecordedHasWhatIsTold finds every notice, every end of a run, and every failure of an
// endpoint in the translations.
func TestRecordedHasWhatIsTold(t *testing.T) {
	t.Parallel()
	chinese, found := printerOf(language.SimplifiedChinese), 0
	for _, s := range sources(t, "agent") {
		folder, err := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(s.path))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(toldIn, filepath.ToSlash(folder)) || filepath.Base(s.path) == "instructions.go" { // whose texts TestRecorded has
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			for _, format := range told(n) {
				found++
				if english := sample(format); chinese.Recorded(english) == english {
					t.Errorf("%s: no translation of %q", s.at(n), english)
				} else if said := chinese.Recorded(english); strings.HasPrefix(format, failing) && strings.Contains(said, strings.TrimSuffix(format[len(failing):], ".")) {
					t.Errorf("%s: no translation of %q", s.at(n), english)
				}
			}
			return true
		})
	}
	if found < 50 {
		t.Errorf("%d texts were found", found)
	}
}

// failing begins the sentence of an endpoint's failure.
const failing = "The model server "

// told are the formats of texts in what is told of a run.
func told(n ast.Node) (formats []string) {
	tell := func(name string, value ast.Expr) {
		format := formatOf(value)
		if strings.Trim(argument.ReplaceAllString(format, ""), "%: ") == "" {
			return
		}
		switch name {
		case "Said":
			formats = append(formats, failing+format+".")
		case "Message", "because", "Text":
			formats = append(formats, format)
		}
	}
	switch x := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := x.Key.(*ast.Ident); ok {
			tell(key.Name, x.Value)
		}
	case *ast.AssignStmt:
		for i, to := range x.Lhs {
			if field, ok := to.(*ast.SelectorExpr); ok && len(x.Lhs) == len(x.Rhs) {
				tell(field.Sel.Name, x.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if len(x.Names) == 1 && len(x.Values) == 1 {
			if key := tables[x.Names[0].Name]; key != "" {
				ast.Inspect(x.Values[0], func(n ast.Node) bool {
					if row, ok := n.(*ast.KeyValueExpr); ok {
						tell(key, row.Value)
					}
					return true
				})
			}
		}
	}
	return formats
}

// tables are variables whose rows are such texts.
var tables = map[string]string{"closings": "because", "cutOffs": "Message", "statusWords": "Said"}

// formatOf is the format of a text that is put together, "" where none of it is ours.
func formatOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, _ := stringOf(x)
		return text
	case *ast.BinaryExpr:
		return cmp.Or(formatOf(x.X), "%s") + cmp.Or(formatOf(x.Y), "%s")
	case *ast.CallExpr:
		if called(x) == "Sprintf" {
			return formatOf(x.Args[0])
		}
	}
	return ""
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
