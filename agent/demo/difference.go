package demo

import (
	"fmt"
	"math"
)

// differenceWords ask to compare two temperatures.
var differenceWords = []string{
	"difference", "differ", "differs", "warmer", "colder", "hotter", "cooler", "compared to",
	"温差", "溫差", "相差", "差多少", "差几度", "差幾度", "高多少", "低多少", "热多少", "冷多少", "热几度", "冷几度", "高几度", "低几度",
	"差别", "比较", "哪个更热", "哪个更冷", "哪里更热", "哪里更冷",
}

// difference looks up two cities at once, and has the calculator subtract their
// temperatures.
func difference(t turn) (answer, bool) {
	named := citiesIn(t.words)
	if len(named) != 2 || !t.means(differenceWords...) {
		return answer{}, false
	}
	if len(t.steps) == 0 {
		calls := t.lookUps(named)
		if calls == nil {
			return without(t, weatherSkill.name), true
		}
		return use(calls...), true
	}
	first := t.steps[0]
	if len(first.results) != 2 {
		return say(sentences(t, first)), true
	}
	a, b := readWeather(first.results[0]), readWeather(first.results[1])
	if !a.known() || !b.known() {
		return say(sentences(t, first)), true
	}
	if sum, ok := t.sum(fmt.Sprintf("%s-%s", decimal(*a.celsius), operand(*b.celsius))); ok && len(t.steps) == 1 {
		return use(sum), true
	}
	return say(compared(t, named[0], named[1], rounded(*a.celsius-*b.celsius)) + t.in(" ", "") + sentences(t, first)), true
}

// operand writes a number so that it can follow a minus.
func operand(f float64) string {
	if f < 0 {
		return "(" + decimal(f) + ")"
	}
	return decimal(f)
}

func compared(t turn, a, b city, by float64) string {
	switch {
	case by == 0:
		return t.in(fmt.Sprintf("It is equally warm in %s and %s.", a.name, b.name), fmt.Sprintf("%s和%s一样热。", a.zh, b.zh))
	case by < 0:
		return compared(t, b, a, -by)
	}
	return t.in(
		fmt.Sprintf("%s is %s °C warmer than %s.", a.name, decimal(by), b.name),
		fmt.Sprintf("%s比%s高 %s °C。", a.zh, b.zh, decimal(by)))
}

// rounded drops what subtracting adds behind the first decimal.
func rounded(f float64) float64 { return math.Round(f*10) / 10 }
