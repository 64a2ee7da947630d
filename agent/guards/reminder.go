package guards

import (
	"fmt"

	"fusebox/agent"
)

// Reminder words a verdict for the model, in a language: what it did, how often, and
// what to do instead. tool is the one that it was about to call, "" where the run itself
// was judged.
func Reminder(v agent.Verdict, tool string, in agent.Language) string {
	if in == agent.Chinese {
		return "[System reminder] " + chineseReminder(v, tool)
	}
	return "[System reminder] " + v.Message + " " + advice(v, tool)
}

func advice(v agent.Verdict, tool string) string {
	switch v.Detector {
	case maxSteps{}.Name(), maxDuration{}.Name():
		return "Come to an end now: give the answer with what you have, and say what is not done."
	case consecutiveErrors{}.Name():
		return "Read the error texts and try another approach, or tell the person what is missing."
	case "chanting":
		if v.Rule == ruleArguments {
			return "The call was not made. Make it again without the repetition, or end with what is there."
		}
		return "What came before the repetition was kept. Continue from there without repeating it, or end with what is there."
	case repeatedAnswer{}.Name():
		return "Repeating the same answer does not help. Do what is still missing, say something new, or tell the person what you need."
	case unknownTool{}.Name():
		return "Use only the tools that are listed, by exactly those names."
	case postCompaction{}.Name():
		return fmt.Sprintf("The summary above contains what %s returned. Work with it instead of asking again.", tool)
	case cycle{}.Name():
		return fmt.Sprintf("Going round like this, with %s next, will not end by itself. Try another approach, or tell the person what is missing.", tool)
	case similarRepeat{}.Name():
		return fmt.Sprintf("Varying the arguments of %s changes nothing. Try another approach, or tell the person what is missing.", tool)
	case treeRepeat{}.Name():
		return fmt.Sprintf("Other agents of this task have the same result of %s. Work with it, try another approach, or say what is missing.", tool)
	case idleDelegation{}.Name():
		return "Handing it over once more will not help. Work with the answers that are there, or tell the person what is missing."
	case pingPong{}.Name():
		return fmt.Sprintf("Going back and forth like this, with %s next, will not end by itself. Try another approach, or tell the person what is missing.", tool)
	case noProgress{}.Name():
		return fmt.Sprintf("Calling %s the same way again is not progress. Try another approach, or tell the person what you are waiting for.", tool)
	default:
		return fmt.Sprintf("Calling %s again like this will not help. Try another approach, or tell the person what is missing.", tool)
	}
}

// chineseReminder is Reminder in Chinese. Verdicts are worded in English, so it says
// from their numbers what happened.
func chineseReminder(v agent.Verdict, tool string) string {
	switch v.Detector {
	case maxSteps{}.Name():
		return "本次运行的模型调用次数即将用完。请立即收尾：用已有的信息给出答案，并说明哪些还没有完成。"
	case maxDuration{}.Name():
		return "本次运行的时间即将用完。请立即收尾：用已有的信息给出答案，并说明哪些还没有完成。"
	case consecutiveErrors{}.Name():
		return fmt.Sprintf("工具调用已连续失败 %d 次。请阅读错误信息，换一种方法，或者告诉用户缺少什么。", v.Count)
	case "chanting":
		if v.Rule == ruleArguments {
			return "你在调用的参数中开始重复，这次调用没有执行。请不带重复地再次调用，或者就此结束。"
		}
		return "你的回答开始重复。重复之前的内容已保留。请从那里继续，不要再重复，或者就此结束。"
	case repeatedAnswer{}.Name():
		return fmt.Sprintf("你已连续 %d 次给出相同的回答。重复没有帮助：请完成仍缺少的部分，说些新的内容，或者告诉用户你需要什么。", v.Count)
	case unknownTool{}.Name():
		return fmt.Sprintf("你已 %d 次调用不存在的工具，这次是 %s。只能使用列出的工具，名称必须完全一致。", v.Count, tool)
	case postCompaction{}.Name():
		return fmt.Sprintf("上下文压缩之后，你已 %d 次调用 %s，而结果此前已知。摘要中有这个结果，请直接使用。", v.Count, tool)
	case cycle{}.Name():
		return fmt.Sprintf("相同的一组调用已循环 %d 轮，没有任何变化，下一个又是 %s。请换一种方法，或者告诉用户缺少什么。", v.Count, tool)
	case similarRepeat{}.Name():
		return fmt.Sprintf("你已 %d 次以相似的参数调用 %s。改变这些参数不会带来新的结果。请换一种方法，或者告诉用户缺少什么。", v.Count, tool)
	case nothingNew{}.Name():
		return fmt.Sprintf("最近 %d 次调用都是以前做过的，结果也相同。请换一种方法，或者告诉用户缺少什么。", v.Count)
	case treeRepeat{}.Name():
		return fmt.Sprintf("本任务的几个智能体已共 %d 次同样地调用 %s，结果都一样。请使用已有的结果，换一种方法，或者说明缺少什么。", v.Count, tool)
	case idleDelegation{}.Name():
		return fmt.Sprintf("你已 %d 次委派任务，没有得到任何新的内容。请使用已有的回答，或者告诉用户缺少什么。", v.Count)
	case pingPong{}.Name():
		return fmt.Sprintf("相同的两个调用来回交替了 %d 次，没有任何变化，下一个又是 %s。请换一种方法，或者告诉用户缺少什么。", v.Count, tool)
	case noProgress{}.Name():
		return fmt.Sprintf("你已 %d 次以相同的参数调用 %s，结果没有变化。再次调用不是进展。请换一种方法，或者告诉用户你在等待什么。", v.Count, tool)
	case genericRepeat{}.Name():
		return fmt.Sprintf("你已连续 %d 次以相同的参数调用 %s。这样做没有帮助。请换一种方法，或者告诉用户缺少什么。", v.Count, tool)
	default:
		return v.Message + " 请换一种方法，或者告诉用户缺少什么。"
	}
}
