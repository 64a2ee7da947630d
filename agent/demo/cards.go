package demo

import (
	"slices"
	"strings"
)

// Commands that look dangerous and harm nothing in a workspace of their own. One
// is for a reviewer to decide, the other so risky that two have to.
const (
	riskyCommand    = `rm -f build/* && echo "build removed" >> cleanup.log`
	criticalCommand = `rm -rf build && echo "build removed" >> cleanup.log`
)

// refusalWords are in results that are refusals.
var refusalWords = []string{"refused", "rejected", "denied", "not executed", "拒绝"}

// cleaning announces the commands.
var cleaning = planned{"I will clean up the build folder.", "我来清理 build 目录。"}

// commanding announces a command that no one should approve unseen, and runs it.
func commanding(command string, what planned) func(turn) answer {
	return func(t turn) answer {
		s, done := t.last()
		switch {
		case !done && !t.may("run_shell"):
			return without(t, "run_shell")
		case !done:
			a := use(invoke("run_shell", map[string]any{"command": command}))
			a.text = t.in(what.english, what.chinese)
			return a
		}
		result := s.results[0]
		if lower := strings.ToLower(result); slices.ContainsFunc(refusalWords, func(w string) bool { return strings.Contains(lower, w) }) {
			return say(t.in("Understood: the command was refused, and I will not try it again. ", "明白了：命令被拒绝，我不会再试。") + quote(result))
		}
		return say(t.in("The command ran. It said: ", "命令已经执行，输出：") + quote(result))
	}
}

// questioning puts a question before the person; they may choose an answer or
// write one.
func questioning(t turn) answer {
	return questionOf(t, map[string]any{
		"question": t.in("Which colour shall the new door have?", "新门要什么颜色？"),
		"options":  []string{t.in("Red", "红色"), t.in("Green", "绿色"), t.in("Blue", "蓝色")},
	})
}

// choosing lets the person choose one or several of what there is, and nothing else.
func choosing(t turn) answer {
	return questionOf(t, map[string]any{
		"question": t.in("Which of these shall the report have?", "报告里要包含哪些内容？"), "multiple": true, "free_text": false,
		"options": []string{t.in("A summary", "摘要"), t.in("A table", "表格"), t.in("A chart", "图表")},
	})
}

// drafting drafts an e-mail for the person to edit, then reports the final text.
func drafting(t turn) answer {
	s, done := t.last()
	switch {
	case !done:
		return questionOf(t, map[string]any{
			"question": t.in("Shall I send this e-mail?", "要发送这封邮件吗？"),
			"draft": t.in("Dear Ms. Wong,\n\nThe new door is green. We will fit it on Friday at nine.\n\nKind regards\nYour workshop",
				"王女士，您好！\n\n新门是绿色的，我们星期五九点上门安装。\n\n此致\n敬礼\n木工坊"),
		})
	case strings.Contains(s.results[0], "does not want to answer"):
		return say(t.in("Understood: I would send nothing.", "明白了：我不会发送。"))
	default:
		return say(t.in("I would send this:", "我会发送以下内容：") + "\n\n```text\n" + s.results[0] + "\n```")
	}
}

func questionOf(t turn, args map[string]any) answer {
	if s, done := t.last(); done {
		return say(t.in("You have chosen: ", "您的选择是：") + quote(s.results[0]))
	}
	return t.use(invoke("ask_user", args))
}

// handingOver asks a person to take over. Without a tool for that it repeats itself until
// the breaker's card offers it.
func handingOver(t turn) answer {
	if s, done := t.last(); done && s.calls[0].name == "hand_over" {
		return say(sentences(t, s))
	}
	if t.may("hand_over") {
		return use(invoke("hand_over", map[string]any{"reason": t.in("This needs a person's judgement.", "这需要由人来判断。")}))
	}
	a := rounds("1+1")(t)
	if len(t.steps) == 0 && len(a.calls) > 0 {
		a.text = t.in("I shall get stuck here. When the card comes, choose “Take over” and write the answer in my place.",
			"我会卡在这里。卡片出现后，请选择“接管”，替我写出答案。")
	}
	return a
}
