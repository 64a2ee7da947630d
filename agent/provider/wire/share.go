package wire

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Share is what a refusal says that names the output's share, in tokens. 0 is what it
// does not say.
type Share struct {
	Window int64 // for both together
	Prompt int64 // how long it found the prompt
	Output int64 // the most that may be asked for
}

// least is the least number that is taken for a count of tokens: smaller ones stand in
// refusals as the ends of ranges.
const least = 16

// grouped are digits in groups of three. digits are a number that stands by itself: not
// in the name of a model, a date, or a decimal.
var (
	grouped = regexp.MustCompile(`\b(\d{1,3})((?:,\d{3})+)\b`)
	digits  = regexp.MustCompile(`(?:^|[^\w.\-])(\d{2,9})(?:$|\.$|[^\w.\-]|[.\-][^\d])`)
)

// How refusals name the window, the prompt, and both together. Sources: what OpenAI,
// vLLM, SGLang, TGI, Together, Anthropic, OpenRouter, Moonshot, and Cerebras answer.
var (
	windowSaid = regexp.MustCompile("(?:context (?:length|window|size|limit)|context_window|max_model_len|max_seq_len|token limit|max_new_tokens`? must be|limit is)[^\\d.]{0,24}?(\\d+)|(\\d+) (?:tokens )?maximum context length")
	promptSaid = regexp.MustCompile("(\\d+)(?: tokens)?(?: (?:of|in|from|for))?(?: the| your)?(?: text| tool| image)?[ `]+(?:input|messages|prompt|functions|tools)|request \\((\\d+) tokens\\)")
	bothSaid   = regexp.MustCompile(`(?:requested|total of|current length is)[^\d.]{0,16}?(\d+)`)
	sumSaid    = regexp.MustCompile(`(\d+) \+ (\d+) > (\d+)`)
)

// outputNames and bounding are the words of a refusal that is about the output alone.
var (
	outputNames = []string{
		"max_tokens", "max_completion_tokens", "max_new_tokens", "max_output_tokens", "maxoutputtokens", "max tokens", "maximum tokens",
		"output tokens", "completion tokens",
	}
	bounding = []string{
		"at most", "less than", "lower than", "up to", "<=", "≤", ">", "range", "between", "maximum", "exceed", "too large", "too high", "too big",
		"too many", "limit", "范围", "超过", "最大",
	}
	strictly = []string{"lower than", "exclusive", "less than "}
)

// Share reads what a refusal says about the room for prompt and output, where so much
// output was asked for; 0 is any.
func (e APIError) Share(asked int64) Share {
	text := grouped.ReplaceAllStringFunc(strings.ToLower(e.Text), func(s string) string { return strings.ReplaceAll(s, ",", "") })
	if m := sumSaid.FindStringSubmatch(text); m != nil {
		return Share{Window: count(m[3]), Prompt: count(m[1])}
	}
	if s, ok := sumIn(text, asked); ok {
		return s
	}
	if m := windowSaid.FindStringSubmatch(text); m != nil {
		s := Share{Window: count(m[1] + m[2]), Prompt: promptIn(text, asked)}
		if s.Prompt == 0 && !strings.Contains(text, "completion") && !strings.Contains(text, "output") {
			return Share{} // it is about the prompt
		}
		return s
	}
	return Share{Output: outputIn(text+" "+strings.ToLower(e.Param), asked)}
}

// sumIn reads a refusal that adds prompt and output up, in either order, and says of what
// it is too much.
func sumIn(text string, asked int64) (Share, bool) {
	n := numbersIn(text)
	if len(n) != 3 || !slices.Contains(n[:2], asked) || !strings.Contains(text, "+") && !strings.Contains(text, " plus ") {
		return Share{}, false
	}
	prompt := n[0]
	if prompt == asked {
		prompt = n[1]
	}
	return Share{Window: n[2], Prompt: prompt}, true
}

// promptIn is how long a refusal found the prompt: all that it names of it, or what is
// left of both together.
func promptIn(text string, asked int64) (sum int64) {
	for _, m := range promptSaid.FindAllStringSubmatch(text, -1) {
		sum += count(m[1] + m[2])
	}
	if m := bothSaid.FindStringSubmatch(text); sum == 0 && m != nil {
		sum = max(count(m[1])-asked, 0)
	}
	return sum
}

// outputIn is the most output that a refusal allows: the largest number below what was
// asked for.
func outputIn(text string, asked int64) (most int64) {
	in := func(w string) bool { return strings.Contains(text, w) }
	if !slices.ContainsFunc(outputNames, in) || !slices.ContainsFunc(bounding, in) || in("budget") || in("at least") {
		return 0
	}
	for _, n := range numbersIn(text) {
		if n >= least && n < asked {
			most = max(most, n)
		}
	}
	if most > 0 && slices.ContainsFunc(strictly, in) && !in("or equal") {
		most--
	}
	return most
}

func numbersIn(text string) (list []int64) {
	for at := 0; at < len(text); {
		m := digits.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		list = append(list, count(text[at+m[2]:at+m[3]]))
		at += m[3] // what stands behind a number may stand before the next one
	}
	return list
}

// count reads digits; a number that is too large is none.
func count(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > maxCount {
		return 0
	}
	return n
}
