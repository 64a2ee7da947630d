package demo

// thinking shows its reasoning before the answer.
func thinking(t turn) answer {
	return answer{
		reasoning: t.in(
			"The person wants to see me think. First I look at what is asked, then at what I know, and then I decide. There is not much to decide here, so I answer.",
			"用户想看我思考。先看问题是什么，再看我知道什么，最后决定怎么回答。这里没有什么难的，直接回答。"),
		text: t.in("I have thought about it: the answer is 42.", "我想过了：答案是 42。"),
	}
}
