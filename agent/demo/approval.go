package demo

import "strings"

// Commands that look dangerous and harm nothing in a workspace of their own. One
// is for a reviewer to decide, the other so risky that two have to.
const (
	riskyCommand    = `rm -f build/* && echo "build removed" >> cleanup.log`
	criticalCommand = `rm -rf build && echo "build removed" >> cleanup.log`
)

// approval runs a command that no one should approve unseen.
func approval(t turn) answer { return commanding(t, riskyCommand) }

func criticalApproval(t turn) answer { return commanding(t, criticalCommand) }

func commanding(t turn, command string) answer {
	s, done := t.last()
	switch {
	case done:
		return say(approvalSentence(t, s.results[0]))
	case !t.may("run_shell"):
		return without(t, "run_shell")
	}
	a := use(invoke("run_shell", map[string]any{"command": command}))
	a.text = t.in("I will clean up the build folder.", "我来清理 build 目录。")
	return a
}

// refusalWords are how a refusal reads that comes back as a result.
var refusalWords = []string{"refused", "rejected", "denied", "not executed", "拒绝"}

func approvalSentence(t turn, result string) string {
	lower := strings.ToLower(result)
	for _, w := range refusalWords {
		if strings.Contains(lower, w) {
			return t.in(
				"Understood: the command was refused, and I will not try it again. "+quote(result),
				"明白了：命令被拒绝，我不会再试。"+quote(result))
		}
	}
	return t.in(
		"The command ran. It said: "+quote(result),
		"命令已经执行，输出："+quote(result))
}
