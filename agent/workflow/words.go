package workflow

import (
	"fmt"
	"strconv"
	"strings"

	"fusebox/agent"
)

// words are those for people, in the language of the person's message.
type words struct {
	again, without, stop  string
	accept, oneMore       string
	yes, no               string
	failedOf, notAccepted string
	tooLong               string
	// asks is what a person is asked by a step that does not say.
	asks map[agent.PersonStep]string
	// What begins: the round, one step, or several.
	round, stepOf, stepBy string
	steps, by, comma      string
	language              agent.Language
}

var wordsOf = map[agent.Language]words{
	agent.English: {
		language: agent.English, again: "Make it again", without: "Go on without it", stop: "Stop",
		accept: "Accept it as it is", oneMore: "One more round",
		yes: "Yes", no: "No",
		failedOf:    "The step {step} has failed. {why} How is it to go on?",
		notAccepted: "After {rounds} rounds, {step} has not accepted the work. How is it to go on?",
		tooLong:     "This is too long to be edited here. Is it right as it is?",
		asks: map[agent.PersonStep]string{
			agent.PersonApproves:    "Is this ready to be used as it is?",
			agent.PersonChooses:     "Which one goes on?",
			agent.PersonCorrects:    "Correct this where it is wrong.",
			agent.PersonSupplements: "What is missing here?",
			agent.PersonTakesOver:   "It is your turn: write the answer.",
		},
		round: "Round %d. ", stepOf: "Step %s", stepBy: "Step %s: %s",
		steps: "Steps: %s", by: "%s (%s)", comma: ", ",
	},
	agent.Chinese: {
		language: agent.Chinese, again: "重做", without: "跳过，继续", stop: "停止",
		accept: "按现状接受", oneMore: "再来一轮",
		yes: "是", no: "否",
		failedOf:    "步骤 {step} 失败了。{why}接下来怎么办？",
		notAccepted: "经过 {rounds} 轮，{step} 仍未接受结果。接下来怎么办？",
		tooLong:     "内容太长，无法在这里修改。可以直接采用吗？",
		asks: map[agent.PersonStep]string{
			agent.PersonApproves:    "可以直接使用吗？",
			agent.PersonChooses:     "采用哪一个？",
			agent.PersonCorrects:    "如有错误，请修改。",
			agent.PersonSupplements: "这里还缺什么？",
			agent.PersonTakesOver:   "轮到你了：请写下回答。",
		},
		round: "第 %d 轮。", stepOf: "步骤 %s", stepBy: "步骤 %s：%s",
		steps: "步骤：%s", by: "%s（%s）", comma: "、",
	},
}

func (w words) failed(step, why string) string {
	return strings.NewReplacer("{step}", step, "{why}", clip(reasonFor(w.language, why), maxQuestion/2)).Replace(w.failedOf)
}

func (w words) unaccepted(step string, rounds int) string {
	return strings.NewReplacer("{step}", step, "{rounds}", strconv.Itoa(rounds)).Replace(w.notAccepted)
}

// Announce says what begins, in the language of the person's message.
func Announce(message string, begin []Begin) string {
	w := wordsOf[agent.LanguageOf(message)]
	round := ""
	if n := begin[0].Key.Round; n > 1 {
		round = fmt.Sprintf(w.round, n)
	}
	if b := begin[0]; len(begin) == 1 {
		if b.Delegate == nil {
			return round + fmt.Sprintf(w.stepOf, b.Step)
		}
		return round + fmt.Sprintf(w.stepBy, b.Step, b.Delegate.Agent)
	}
	steps := make([]string, len(begin))
	for i, b := range begin {
		if steps[i] = b.Step; b.Delegate != nil {
			steps[i] = fmt.Sprintf(w.by, b.Step, b.Delegate.Agent)
		}
	}
	return round + fmt.Sprintf(w.steps, strings.Join(steps, w.comma))
}
