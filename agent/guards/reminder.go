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
	case pingPong{}.Name():
		return fmt.Sprintf("Going back and forth like this, with %s next, will not end by itself. Try another approach, or tell the person what is missing.", tool)
	case noProgress{}.Name():
		return fmt.Sprintf("Calling %s the same way again is not progress. Try another approach, or tell the person what you are waiting for.", tool)
	default:
		return fmt.Sprintf("Calling %s again like this will not help. Try another approach, or tell the person what is missing.", tool)
	}
}
