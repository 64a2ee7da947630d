package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// city is a place the demo model knows, by the names people call it.
type city struct{ name, zh string }

var cities = []city{
	{"Beijing", "北京"}, {"Shanghai", "上海"}, {"Shenzhen", "深圳"}, {"Guangzhou", "广州"},
	{"Hangzhou", "杭州"}, {"Chengdu", "成都"}, {"Hong Kong", "香港"},
}

var weatherWords = []string{
	"weather", "temperature", "forecast", "how warm", "how cold", "how hot", "will it rain", "raining", "天气", "气温", "温度", "下雨", "几度",
}

// followUp is the length, in runes, up to which a message that only names a
// city continues with the question before it.
const followUp = 40

// weather asks the tool once per city, for all cities in one answer.
func weather(t turn) (answer, bool) {
	named := citiesIn(t.plain)
	asked := t.says(weatherWords...)
	again := len(named) > 0 && utf8.RuneCountInString(t.plain) <= followUp &&
		turn{plain: t.before}.says(weatherWords...)
	if !asked && !again {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(sentences(t, s)), true
	}
	if len(named) == 0 {
		return say(t.in(
			"For which city? I know Beijing, Shanghai, Shenzhen, Guangzhou, Hangzhou, Chengdu and Hong Kong.",
			"您想查哪个城市？我知道北京、上海、深圳、广州、杭州、成都和香港。")), true
	}
	if !t.may("get_weather") {
		return without(t, "get_weather"), true
	}
	var calls []call
	for _, c := range named {
		calls = append(calls, invoke("get_weather", map[string]any{"city": c.name}))
	}
	return use(calls...), true
}

// citiesIn lists the known cities in the order in which a text names them.
func citiesIn(text string) []city {
	at := map[city]int{}
	var found []city
	for _, c := range cities {
		i := strings.Index(text, strings.ToLower(c.name))
		if i < 0 {
			i = strings.Index(text, c.zh)
		}
		if i >= 0 {
			at[c] = i
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b city) int { return cmp.Compare(at[a], at[b]) })
	return found
}

// conditionZH translates what the weather tool may say.
var conditionZH = map[string]string{
	"sunny": "晴", "clear": "晴", "clear sky": "晴", "mainly clear": "大致晴朗", "partly cloudy": "多云", "cloudy": "阴",
	"overcast": "阴", "fog": "雾", "foggy": "雾", "drizzle": "毛毛雨", "light drizzle": "毛毛雨", "light rain": "小雨", "rain": "雨",
	"rainy": "雨", "moderate rain": "中雨", "heavy rain": "大雨", "rain showers": "阵雨", "showers": "阵雨",
	"snow": "雪", "light snow": "小雪", "heavy snow": "大雪", "thunderstorm": "雷阵雨",
}

// nouns are the conditions that read "with …" instead of "and …".
var nouns = []string{"sky", "fog", "drizzle", "rain", "snow", "showers", "thunderstorm", "hail", "grains"}

func weatherSentence(t turn, c call, result string) string {
	var w struct {
		City        string   `json:"city"`
		Temperature *float64 `json:"temperatureC"`
		Condition   string   `json:"condition"`
		Sample      bool     `json:"sample"`
	}
	if json.Unmarshal([]byte(result), &w) != nil || w.Temperature == nil {
		name := argument(c, "city")
		return t.in(
			fmt.Sprintf("I could not get the weather for %s: %s", name, quote(result)),
			fmt.Sprintf("没能查到%s的天气：%s", zhName(name), quote(result)))
	}
	condition := strings.ToLower(w.Condition)
	joint := "and"
	if last := condition[strings.LastIndex(condition, " ")+1:]; slices.Contains(nouns, last) {
		joint = "with"
	}
	english := fmt.Sprintf("It is %s °C %s %s in %s.", decimal(*w.Temperature), joint, condition, w.City)
	chinese := fmt.Sprintf("%s现在 %s °C，%s。", zhName(w.City), decimal(*w.Temperature), cmp.Or(conditionZH[condition], w.Condition))
	if w.Sample {
		english, chinese = english+" (Sample data.)", chinese+"（示例数据）"
	}
	return t.in(english, chinese)
}

func zhName(name string) string {
	for _, c := range cities {
		if strings.EqualFold(c.name, name) {
			return c.zh
		}
	}
	return name
}
