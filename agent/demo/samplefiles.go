package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
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
	outputName = regexp.MustCompile(`outputs/[\w~\-]+/[\w~\-]+/[\w~\-]+\.txt`)
	fileName   = regexp.MustCompile(`[\w\-./]+\.[A-Za-z][A-Za-z0-9]{0,7}\b`)
)

// sampleFiles lists the files, reads those that are named, or does both, one after the other.
func sampleFiles(t turn) (answer, bool) {
	var plan []call
	if t.means(listWords...) {
		plan = append(plan, invoke("list_files", map[string]any{"path": "."}))
	}
	if t.means(readWords...) {
		for _, path := range fileName.FindAllString(t.text, maxRead) {
			plan = append(plan, invoke("read_file", map[string]any{"path": path}))
		}
	}
	if len(plan) == 0 {
		return answer{}, false
	}
	return walkThrough(t, plan...), true
}

// told shows the results of all steps, each as it is.
func told(t turn) string {
	var parts []string
	for _, s := range t.steps {
		for i, c := range s.calls {
			name := c.name
			if path := argument(c, "path"); path != "" && path != "." {
				name = path
			}
			parts = append(parts, fmt.Sprintf("**%s**\n\n```\n%s\n```", name, shortened(s.results[i])))
		}
	}
	return strings.Join(parts, "\n\n")
}

// maxShown bounds, in runes, what is shown of a result.
const maxShown = 1000

// shortened keeps the lines of a text.
func shortened(s string) string {
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return s
}
