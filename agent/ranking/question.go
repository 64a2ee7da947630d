package ranking

import (
	"slices"
	"strings"
)

// Question returns the terms to search for: those of a text without words that only ask,
// unless there are no others, and without the characters of pairs, which say nothing that
// the pairs do not say.
func Question(text string) []Term {
	signs := fold(text)
	asks := make([]bool, len(text)) // by the bytes of the original
	for i := range signs {
		for _, phrase := range asking {
			if hasPrefix(signs[i:], phrase) {
				for b := signs[i].start; b < signs[i+len(phrase)-1].end; b++ {
					asks[b] = true
				}
			}
		}
	}
	all := slices.DeleteFunc(Terms(text), func(t Term) bool { return t.Kind == Character })
	telling := slices.DeleteFunc(slices.Clone(all), func(t Term) bool {
		return stopWords[t.Text] || slices.Contains(asks[t.Start:t.End], true)
	})
	if len(telling) == 0 {
		return all
	}
	return telling
}

func hasPrefix(signs []sign, phrase []rune) bool {
	return len(signs) >= len(phrase) && slices.EqualFunc(signs[:len(phrase)], phrase, func(s sign, r rune) bool { return s.r == r })
}

// asking are the words of Chinese questions that stand for the answer, and particles.
var asking = func() (all [][]rune) {
	for _, word := range strings.Fields(`什么 什么时候 什么情况 甚么 多少 多久 多长 多大 多高 多快 怎么 怎么办 怎样 如何
		哪个 哪些 哪里 哪儿 哪次 哪天 哪种 几点 几次 几天 谁 为何 请问 是否 能否 可否 能不能 可不可以 是不是 有没有 应该 我们 吗 呢 吧 啊 的 了`) {
		all = append(all, []rune(word))
	}
	return all
}()

// stopWords are English words, in the form of terms, that say nothing of what is looked for.
var stopWords = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`a an the this that these those there here it its i me my we us our you your they them their he she his her
		is are was were be been am do does did done has have had can could may might must shall should will would
		of in on at to for from by with into about as than and or but not no if so
		what which who whom whose when where why how much many one any some please tell`) {
		all[stem(word)] = true
	}
	return all
}()
