package demo

import "slices"

// thinking shows its reasoning before the answer.
func thinking(t turn) (answer, bool) {
	if !t.says("test thinking", "test reasoning", "测试思考", "測試思考") {
		return answer{}, false
	}
	return answer{
		reasoning: t.in(
			"The person wants to see me think. First I look at what is asked, then at what I know, and then I decide. There is not much to decide here, so I answer.",
			"用户想看我思考。先看问题是什么，再看我知道什么，最后决定怎么回答。这里没有什么难的，直接回答。"),
		text: t.in("I have thought about it: the answer is 42.", "我想过了：答案是 42。"),
	}, true
}

// talk is a fixed answer to a fixed question. Exact phrases must be the whole
// message: "hi" is in many words.
type talk struct {
	exact, within []string
	english       string
	chinese       string
}

var talks = []talk{
	{
		within:  []string{"who are you", "what are you", "your name", "你是谁", "你叫什么", "介绍一下你自己"},
		english: "I am the demo model that is built into Fusebox. I follow simple rules, need no network, and show what the breakers do.",
		chinese: "我是 Fusebox 内置的演示模型。我按简单的规则回答，不需要网络，用来展示各种断路器。",
	},
	{
		exact:   []string{"help", "帮助", "?", "？"},
		within:  []string{"what can you do", "how can you help", "can you help", "你能做什么", "你会做什么", "你会什么", "有什么功能"},
		english: "I can tell the weather (“weather in Shenzhen and Chengdu”), calculate (“what is 12*(3+4)?”) and run tests: “test dead loop”, “test ping-pong”, “test cycle”, “test polling”, “test retry”, “test budget”, “test approval”, “test question”, “test parallel”, “test files”, “test chanting”, “test thinking”, “test markdown”.",
		chinese: "我可以查天气（“深圳和成都的天气”）、算数（“算一下 12*(3+4)”），还可以做测试：“测试死循环”“测试乒乓”“测试重试”“测试预算”“测试审批”“测试提问”“测试并行”“测试文件”“测试复读”“测试思考”“测试长文”。",
	},
	{
		exact:   []string{"hi", "hello", "hey", "hello there", "hi there", "good morning", "good evening", "你好", "您好", "嗨", "早上好", "晚上好"},
		english: "Hello! I am the demo model. Ask me for the weather, a calculation, or “what can you do?”.",
		chinese: "你好！我是演示模型。可以问我天气、算数，或者问“你能做什么”。",
	},
	{
		exact:   []string{"thanks", "thank you", "thank you very much", "谢谢", "多谢"},
		english: "You are welcome.",
		chinese: "不客气。",
	},
}

// smallTalk answers the fixed questions.
func smallTalk(t turn) (answer, bool) {
	whole := trimStop(t.plain)
	for _, k := range talks {
		if slices.Contains(k.exact, whole) || t.says(k.within...) {
			return say(t.in(k.english, k.chinese)), true
		}
	}
	return answer{}, false
}

// fallback is the answer to everything else.
func fallback(t turn) answer {
	if s, done := t.last(); done {
		return say(sentences(t, s))
	}
	if t.text == "" {
		return say("I got no message. Ask me “what can you do?”.")
	}
	return say(t.in(
		"You wrote “"+quote(t.text)+"”. I am only the demo model and know little about that. I can tell the weather of some cities, calculate, and run the tests of the breakers: ask “what can you do?”.",
		"您说的是“"+quote(t.text)+"”。我只是演示模型，对此所知不多。我可以查几个城市的天气、算数，以及演示各种断路器：问我“你能做什么”。"))
}
