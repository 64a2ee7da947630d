// Package sums finds calculations in English and Chinese sentences, in digits and in words.
package sums

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var (
	expression = regexp.MustCompile(`(?:sqrt\(|[-+(])*[0-9.](?:sqrt\(|[0-9.+\-*/%^() ])*`)
	date       = regexp.MustCompile(`^\d{1,4}[-/]\d{1,2}[-/]\d{1,4}$`)
	operation  = regexp.MustCompile(`sqrt\([0-9.]|[0-9)] *[-+*/%^]+ *(?:sqrt\(|[(\-+])*[0-9.]`)
)

// maxExpression bounds, in bytes, what is taken for a calculation.
const maxExpression = 200

// Expression is the longest run of digits and signs of a text that computes something, ""
// if there is none.
func Expression(text string) string {
	text = digitsZH(digitsEnglish(strings.ToLower(text)))
	for _, s := range spelled() {
		text = s.said.ReplaceAllString(text, s.written)
	}
	longest := ""
	for _, found := range expression.FindAllString(mathSigns.Replace(text), -1) {
		found = strings.TrimRight(strings.TrimSpace(found), "+-*/%^(. ")
		if len(found) > len(longest) && len(found) <= maxExpression && operation.MatchString(found) && !date.MatchString(found) {
			longest = found
		}
	}
	// Closing brackets may belong to the sentence around.
	for strings.HasSuffix(longest, ")") && strings.Count(longest, ")") > strings.Count(longest, "(") {
		longest = strings.TrimSpace(strings.TrimSuffix(longest, ")"))
	}
	return longest
}

// spelled are ways to say a calculation, and how the calculator writes it. They
// are applied in this order, when all numbers have become digits. They are compiled at
// their first use.
var spelled = sync.OnceValue(func() (all []spelling) {
	for _, s := range []struct{ said, written string }{
		{`(\d),(\d{3})\b`, "$1$2"},
		{`(\d[\d.]*) ?(?:percent|per cent|%) of (\d[\d.]*)`, "$1/100*$2"},
		{`(\d[\d.]*) ?的 ?百分之 ?(\d[\d.]*)`, "$1*$2/100"},
		{`(\d[\d.]*) ?的 ?(\d[\d.]*) ?%`, "$1*$2/100"},
		{`(?:the )?square root of (\d[\d.]*)`, "sqrt($1)"},
		{`(\d[\d.]*) ?的平方根|根号 ?(\d[\d.]*)`, "sqrt($1$2)"},
		{`(\d[\d.]*) (?:squared)|(\d[\d.]*) ?的平方`, "$1$2^2"},
		{`(\d[\d.]*) (?:cubed)|(\d[\d.]*) ?的立方`, "$1$2^3"},
		{`(\d[\d.]*) (?:to the power of|to the) (\d+)`, "$1^$2"},
		{`(\d[\d.]*) ?的 ?(\d+) ?次方`, "$1^$2"},
		{`(?:sum of|add) (\d[\d.]*) (?:and|to) (\d[\d.]*)`, "$1+$2"},
		{`(?:product of|multiply) (\d[\d.]*) (?:and|by|with) (\d[\d.]*)`, "$1*$2"},
		{`divide (\d[\d.]*) by (\d[\d.]*)`, "$1/$2"},
		{`subtract (\d[\d.]*) from (\d[\d.]*)`, "$2-$1"},
		{`difference (?:of|between) (\d[\d.]*) and (\d[\d.]*)`, "$1-$2"},
		{`(\d[\d.]*) ?[和与跟] ?(\d[\d.]*) ?(?:的差|相差|差)`, "$1-$2"},
		{`(\d[\d.]*) ?[和与跟] ?(\d[\d.]*) ?(?:的积|相乘|的乘积)`, "$1*$2"},
		{`(\d[\d.]*) ?[和与跟] ?(\d[\d.]*) ?(?:的和|相加|加起来|加|一共|等于|是多少|得)`, "$1+$2"},
		{`^[^\d]{0,30}?\b(?:what is|what's|whats|what are|how much is|how much are|what do|what does|what would|calculate|compute|add up|add|sum up|sum) (\d[\d.]*) and (\d[\d.]*)(?: together| combined| added| added up| in total| make| makes| give| equal| sum to| add up to| come to)?[ ?.!=]*$`, "$1+$2"},
		{`^(\d[\d.]*) and (\d[\d.]*)(?: together| combined| added| added up| in total| make what| is what| equals?| is| makes?)[ ?.!=]*$`, "$1+$2"},
		{`(\d[\d.]*) ?[和与跟同] ?(\d[\d.]*) ?(?:合起来|合计|总共|总和|加一起|加在一起|共计|一共)`, "$1+$2"},
		{`(\d) ?[x×✕] ?(\d)`, "$1*$2"},
	} {
		all = append(all, spelling{regexp.MustCompile(s.said), s.written})
	}
	return all
})

type spelling struct {
	said    *regexp.Regexp
	written string
}

// mathSigns are words and signs between numbers, the longer ones first.
var mathSigns = strings.NewReplacer(
	"×", "*", "÷", "/", "（", "(", "）", ")", "−", "-", "–", "-", "＋", "+", "，", ",", "＊", "*", "／", "/",
	" plus ", "+", " minus ", "-", " multiplied by ", "*", " times ", "*", " divided by ", "/", " over ", "/", " modulo ", "%", " mod ", "%",
	"加上", "+", "加", "+", "减去", "-", "减", "-", "減", "-", "乘以", "*", "乘上", "*", "乘", "*", "除以", "/", "除", "/",
)

// Decimal writes a number as people do: 26 instead of 26.0.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Rounded drops what calculating adds behind the first decimal.
func Rounded(f float64) float64 { return math.Round(f*10) / 10 }
