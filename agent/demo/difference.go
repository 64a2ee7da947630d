package demo

import (
	"fmt"

	"fusebox/agent/demo/reports"
	"fusebox/agent/demo/sums"
)

// differenceWords ask to compare two temperatures.
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
	a, b := reports.Read(first.results[0]), reports.Read(first.results[1])
	if !a.Known() || !b.Known() {
		return say(sentences(t, first)), true
	}
	if sum, ok := t.sum(fmt.Sprintf("%s-%s", sums.Decimal(*a.Celsius), operand(*b.Celsius))); ok && len(t.steps) == 1 {
		return use(sum), true
	}
	return say(compared(t, named[0], named[1], sums.Rounded(*a.Celsius-*b.Celsius)) + t.in(" ", "") + sentences(t, first)), true
}

// operand writes a number so that it can follow a minus.
func operand(f float64) string {
	if f < 0 {
		return "(" + sums.Decimal(f) + ")"
	}
	return sums.Decimal(f)
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
