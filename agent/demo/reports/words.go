package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent/demo/sums"
)

// conditionZH translates what the weather tool may say.
var conditionZH = map[string]string{
	"sunny": "晴", "clear": "晴", "clear sky": "晴", "mainly clear": "大致晴朗", "partly cloudy": "多云", "cloudy": "阴",
	"overcast": "阴", "fog": "雾", "foggy": "雾", "drizzle": "毛毛雨", "light drizzle": "毛毛雨", "light rain": "小雨", "rain": "雨",
	"rainy": "雨", "moderate rain": "中雨", "heavy rain": "大雨", "rain showers": "阵雨", "showers": "阵雨",
	"snow": "雪", "light snow": "小雪", "heavy snow": "大雪", "thunderstorm": "雷阵雨",
}

// nouns are the conditions that read "with …" instead of "and …", wet those in
// which it rains.
var (
	nouns = []string{"sky", "fog", "drizzle", "rain", "snow", "showers", "thunderstorm", "hail", "grains"}
	wet   = []string{"rain", "rainy", "drizzle", "showers", "thunderstorm"}
)

// Sentences tell the weather of a city.
func (w Report) Sentences() (english, chinese string) {
	if w.Condition == "" {
		return fmt.Sprintf("It is %s °C in %s.", sums.Decimal(*w.Celsius), w.City), fmt.Sprintf("%s现在 %s °C。", ChineseName(w.City), sums.Decimal(*w.Celsius))
	}
	condition := strings.ToLower(w.Condition)
	joint := "and"
	if slices.Contains(nouns, lastWord(condition)) {
		joint = "with"
	}
	return fmt.Sprintf("It is %s °C %s %s in %s.", sums.Decimal(*w.Celsius), joint, condition, w.City),
		fmt.Sprintf("%s现在 %s °C，%s。", ChineseName(w.City), sums.Decimal(*w.Celsius), cmp.Or(conditionZH[condition], w.Condition))
}

// Rain puts the answer to whether it rains before the sentences.
func (w Report) Rain(english, chinese string) (string, string) {
	if slices.Contains(wet, lastWord(strings.ToLower(w.Condition))) {
		return "Yes, it is wet. " + english, "在下雨。" + chinese
	}
	return "No rain. " + english, "没有下雨。" + chinese
}

func lastWord(s string) string { return s[strings.LastIndex(s, " ")+1:] }
