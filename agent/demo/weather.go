package demo

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"fusebox/agent/demo/reports"
	"fusebox/agent/demo/sums"
)

// What is asked of the weather, in the words that people use.
var (
	weatherWords = []string{
		"weather", "temperature", "temperatures", "forecast", "how warm", "how cold", "how hot", "is it warm", "is it cold", "is it hot", "is it sunny", "is it windy",
		"is it raining", "is it snowing", "will it rain", "will it snow", "does it rain", "going to rain", "raining", "rainy", "umbrella", "degrees",
		"天气", "天氣", "气温", "氣溫", "温度", "溫度", "几度", "多少度", "热不热", "熱不熱", "冷不冷", "热吗", "熱嗎", "冷吗", "冷嗎", "热么", "冷么", "暖和吗", "有多热", "有多冷", "多热", "多冷",
		"温差", "溫差", "下雨", "下雪", "有雨", "有雪", "刮风", "晴天", "带伞", "帶傘",
		"晴不晴", "晴吗", "晴朗", "阴不阴", "暖不暖", "凉不凉", "闷不闷", "闷热", "湿不湿", "下不下雨", "下不下雪", "刮不刮风", "风大不大", "雨大不大", "有没有雨", "有没有雪", "有没有太阳", "有太阳", "出太阳",
	}
	// cityWords ask of the weather where a city is named, too.
	cityWords   = []string{"hot", "warm", "cold", "cool", "sunny", "cloudy", "windy", "foggy", "wet", "dry", "outside", "热", "熱", "冷", "暖和", "凉快", "雨", "雪", "风大", "晴", "阴天", "多云", "太阳", "闷", "潮湿", "干燥", "起雾", "有雾"}
	rainWords   = []string{"rain", "raining", "rainy", "umbrella", "下雨", "有雨", "带伞", "帶傘"}
	futureWords = []string{"tomorrow", "tonight", "next week", "forecast", "will it", "going to rain", "明天", "后天", "後天", "今晚", "下周", "预报", "預報"}
)

// followUp is the length, in runes, up to which a message that only names a
// city continues with the question before it.
const followUp = 40

// weather asks the tool once per city, for all cities in one answer.
func weather(t turn) (answer, bool) {
	named := reports.Cities(t.words)
	asked := t.means(weatherWords...) || len(named) > 0 && t.means(cityWords...)
	again := len(named) > 0 && utf8.RuneCountInString(t.plain) <= followUp && turn{words: t.before}.means(weatherWords...)
	if !asked && !again {
		return answer{}, false
	}
	if s, done := t.last(); done {
		text := sentences(t, s)
		if t.means(futureWords...) && reports.Read(s.results[0]).Known() {
			text += t.in(" That is the weather now; I have no forecast.", "这是现在的天气，我没有预报。")
		}
		return say(text), true
	}
	if len(named) == 0 {
		named = unknownCity(t)
	}
	if len(named) == 0 {
		return say(t.in(
			"For which city? I know Beijing, Shanghai, Shenzhen, Guangzhou, Hong Kong, London, Paris, New York and some others.",
			"您想查哪个城市？我知道北京、上海、深圳、广州、杭州、成都、香港等城市。")), true
	}
	return t.lookUps(named), true
}

// lookUps calls for the weather of some cities.
func (t turn) lookUps(cities []reports.City) answer {
	var calls []call
	for _, c := range cities {
		look, ok := t.ask(weatherSkill, c.Name)
		if !ok {
			return without(t, weatherSkill.name)
		}
		calls = append(calls, look)
	}
	return use(calls...)
}

var insistingWords = []string{
	"don't stop", "do not stop", "don't give up", "do not give up", "keep trying", "never stop", "until you find", "until you have it", "until you know", "no matter what",
	"不能停", "不许停", "不准停", "别停", "不要停", "不查出来", "不查到", "查到为止", "一直查", "直到查", "必须查到", "一定要查到",
}

// insisting looks a city's weather up until it is told, because the person has
// said not to stop before. Hong Kong it asks of the observatory itself, which is
// always busy in the sample data.
func insisting(t turn) (answer, bool) {
	named := reports.Cities(t.words)
	if len(named) == 0 || !t.means(weatherWords...) || !t.means(insistingWords...) {
		return answer{}, false
	}
	if s, done := t.last(); done && reports.Read(s.results[0]).Known() {
		return say(sentences(t, s)), true
	}
	station := named[0]
	if station.Name == "Hong Kong" {
		station.Name = "Hong Kong Observatory"
	}
	look, ok := t.ask(weatherSkill, station.Name)
	if !ok {
		return without(t, weatherSkill.name), true
	}
	return circling(t, look), true
}

// Cities that are not on the list. In English a name follows a preposition; in Chinese it is
// what remains when all other words are removed.
var (
	cityPlace = pattern(`\b(?:in|for|of|at) ((?:[A-Z][\p{L}'-]*)(?: [A-Z][\p{L}'-]*)*)`)
	noCity    = pattern(`请问|请|帮我|帮忙|麻烦|查询|查一下|查查|查|看一下|看看|告诉我|我想知道|知道|一下|今天|明天|后天|今晚|现在|当前|这里|那里|那边|外面|目前|最近|会不会|会|的|怎么样|怎样|如何|是|有|多少|吗|呢|吧|了|要|需要`)
)

// maxCityZH bounds the characters of a city's name in Chinese.
const maxCityZH = 5

func unknownCity(t turn) []reports.City {
	if found := cityPlace().FindStringSubmatch(t.text); found != nil {
		return []reports.City{{Name: found[1], Chinese: found[1]}}
	}
	if !t.zh {
		return nil
	}
	rest := t.words
	for _, w := range weatherWords {
		if hanIn(w) > 0 {
			rest = strings.ReplaceAll(rest, w, " ")
		}
	}
	rest = strings.Join(strings.Fields(noCity().ReplaceAllString(rest, " ")), " ")
	if n := hanIn(rest); n < 2 || n > maxCityZH || n != utf8.RuneCountInString(rest) {
		return nil
	}
	return []reports.City{{Name: rest, Chinese: rest}}
}

func weatherSentence(t turn, c call, result string) string {
	w := reports.Read(result)
	w.City = cmp.Or(w.City, argument(c, weatherSkill.fields...))
	if !w.Known() {
		return t.in(
			fmt.Sprintf("I could not get the weather for %s: %s", w.City, quote(result)),
			fmt.Sprintf("没能查到%s的天气：%s", reports.ChineseName(w.City), quote(result)))
	}
	english, chinese := w.Sentences()
	if t.means(rainWords...) && w.Condition != "" {
		english, chinese = w.Rain(english, chinese)
	}
	if w.Sample {
		english, chinese = english+" (Sample data.)", chinese+"（示例数据）"
	}
	return t.in(english, chinese)
}

var differenceWords = []string{
	"difference", "differ", "differs", "warmer", "colder", "hotter", "cooler", "compared to",
	"温差", "溫差", "相差", "差多少", "差几度", "差幾度", "高多少", "低多少", "热多少", "冷多少", "热几度", "冷几度", "高几度", "低几度",
	"差值", "温度差", "溫度差", "气温差", "氣溫差", "差距", "差异", "之差", "差多大", "差了", "apart", "gap", "warmer or", "colder or",
	"差别", "比较", "哪个更热", "哪个更冷", "哪里更热", "哪里更冷",
}

// difference looks up two cities at once, and has the calculator subtract their
// temperatures.
func difference(t turn) (answer, bool) {
	named := reports.Cities(t.words)
	if len(named) != 2 || !t.means(differenceWords...) {
		return answer{}, false
	}
	if len(t.steps) == 0 {
		return t.lookUps(named), true
	}
	first := t.steps[0]
	if len(first.results) != 2 {
		return say(sentences(t, first)), true
	}
	a, b := reports.Read(first.results[0]), reports.Read(first.results[1])
	if !a.Known() || !b.Known() {
		return say(sentences(t, first)), true
	}
	minus := sums.Decimal(*b.Celsius)
	if *b.Celsius < 0 {
		minus = "(" + minus + ")"
	}
	if sum, ok := t.sum(sums.Decimal(*a.Celsius) + "-" + minus); ok && len(t.steps) == 1 {
		return use(sum), true
	}
	return say(compared(t, named[0], named[1], sums.Rounded(*a.Celsius-*b.Celsius)) + t.in(" ", "") + sentences(t, first)), true
}

func compared(t turn, a, b reports.City, by float64) string {
	switch {
	case by == 0:
		return t.in(fmt.Sprintf("It is equally warm in %s and %s.", a.Name, b.Name), fmt.Sprintf("%s和%s一样热。", a.Chinese, b.Chinese))
	case by < 0:
		return compared(t, b, a, -by)
	}
	return t.in(
		fmt.Sprintf("%s is %s °C warmer than %s.", a.Name, sums.Decimal(by), b.Name),
		fmt.Sprintf("%s比%s高 %s °C。", a.Chinese, b.Chinese, sums.Decimal(by)))
}
