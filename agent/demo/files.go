package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed samples
var embedded embed.FS

// Samples are the files that a chat with the demo model finds in its workspace.
func Samples() fs.FS {
	sub, err := fs.Sub(embedded, "samples")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

var (
	listWords = []string{
		"list the files", "list files", "list all files", "list my files", "show the files", "show me the files", "what files", "which files",
		"列出文件", "列出所有文件", "列一下文件", "列文件", "有哪些文件", "有什么文件", "看看文件", "文件列表", "查看文件夹", "列出目录", "列一下目录",
	}
	readWords = []string{
		"read", "open", "show", "print", "cat", "what is in", "what's in", "contents of", "content of",
		"读取", "读一下", "读", "打开", "查看", "看看", "看一下", "显示", "内容",
	}
	// outputName is the path of a kept output in the result that was cut.
	outputName = pattern(`outputs/[\w~\-]+/[\w~\-]+/[\w~\-]+\.txt`)
	fileName   = pattern(`[\w\-./]+\.[A-Za-z][A-Za-z0-9]{0,7}\b`)
)

// sampleFiles lists the files, reads those that are named, or does both, one after the other.
func sampleFiles(t turn) (answer, bool) {
	var plan []call
	if t.means(listWords...) {
		plan = append(plan, invoke("list_files", map[string]any{"path": "."}))
	}
	if t.means(readWords...) {
		for _, path := range fileName().FindAllString(t.text, maxRead) {
			plan = append(plan, invoke("read_file", map[string]any{"path": path}))
		}
	}
	if len(plan) == 0 {
		return answer{}, false
	}
	return walkThrough(t, plan...), true
}

// maxShown bounds, in runes, what is shown of a result.
const maxShown = 1000

// shortened keeps the lines of a text.
func shortened(s string) string { return clipped(strings.TrimSpace(s), maxShown) }

var readMany = pattern(`read (?:these|the|all|all the)? ?(\d+) (?:\w+ )?files|读取?(?:一下)?(?:这|那)? ?(\d+) ?个文件`)

const maxRead = 40

// manyFiles reads many different files in one answer: those the person names,
// else note-01.txt and on.
func manyFiles(t turn) (answer, bool) {
	m := readMany().FindStringSubmatch(t.plain)
	if m == nil {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(fmt.Sprintf(
			t.in("I tried to read %d files. The first gave: %s", "我读取了 %d 个文件。第一个的结果：%s"), len(s.calls), quote(s.results[0]))), true
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil {
		n = maxRead // too long a number
	}
	n = max(1, min(n, maxRead))
	paths := fileName().FindAllString(t.text, n)
	if len(paths) == 0 {
		for i := range n {
			paths = append(paths, fmt.Sprintf("note-%02d.txt", i+1))
		}
	}
	var calls []call
	for _, path := range paths {
		calls = append(calls, invoke("read_file", map[string]any{"path": path}))
	}
	return t.use(calls...), true
}

func searching(t turn) answer {
	return walkThrough(t,
		invoke("glob", map[string]any{"pattern": "**/*.{js,json}"}),
		invoke("grep", map[string]any{"pattern": `(?i)sample|server`}))
}

// editing looks for a word in a sample file and proposes another one.
func editing(t turn) answer {
	return walkThrough(t,
		invoke("grep", map[string]any{"pattern": "^# ", "path": "README.md"}),
		invoke("edit_file", map[string]any{
			"path": "README.md", "old": "# Sample shop", "new": t.in("# The corner shop", "# 街角小店"),
		}))
}

// longOutput runs a command whose output exceeds the limit of a result, then reads the rest.
func longOutput(t turn) answer {
	s, done := t.last()
	if !done {
		return walkThrough(t, invoke("run_shell", map[string]any{"command": "seq 1 20000"}))
	}
	kept := outputName().FindString(t.steps[0].results[0])
	if kept == "" {
		return say(t.in("There is nothing more to read: ", "没有更多内容可读：") + quote(s.results[0]))
	}
	return walkThrough(t, invoke("run_shell", nil), invoke("fetch_output", map[string]any{"path": kept, "part": 2}))
}

func walkThrough(t turn, plan ...call) answer {
	if n := len(t.steps); n < len(plan) {
		return t.use(plan[n])
	}
	parts := []string{t.in("This is what I found.", "这是我找到的内容。")}
	for _, s := range t.steps {
		for i, c := range s.calls {
			name := c.name
			if path := argument(c, "path"); path != "" && path != "." {
				name = path
			}
			parts = append(parts, fmt.Sprintf("**%s**\n\n```\n%s\n```", name, shortened(s.results[i])))
		}
	}
	return say(strings.Join(parts, "\n\n"))
}

const demoFile = "hello.txt"

// files writes a file, reads it back and lists the folder, one after the other.
func files(t turn) answer {
	plan := []call{
		invoke("write_file", map[string]any{"path": demoFile, "content": t.in("Hello from the demo model.\n", "来自演示模型的问候。\n")}),
		invoke("read_file", map[string]any{"path": demoFile}),
		invoke("list_files", map[string]any{"path": "."}),
	}
	if n := len(t.steps); n < len(plan) {
		return t.use(plan[n])
	}
	return say(fmt.Sprintf(
		t.in("I wrote %s, read it back (%s) and listed the folder: %s", "我写入了 %s，读回（%s），并列出了目录：%s"),
		demoFile, quote(t.steps[1].results[0]), quote(t.steps[2].results[0])))
}
