package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// report is the weather as a tool tells it.
type report struct {
	city, condition string
	celsius         *float64
	sample          bool
}

// known reports whether the weather was told.
func (w report) known() bool { return w.celsius != nil }

// The keys under which tools tell the weather, in lower case without underscores.
var (
	celsiusKeys    = []string{"temperaturec", "tempc", "celsius", "temperature", "temp", "temperature2m"}
	fahrenheitKeys = []string{"temperaturef", "tempf", "fahrenheit"}
	placeKeys      = []string{"city", "location", "place", "name"}
	conditionKeys  = []string{"condition", "conditions", "weather", "description", "forecast", "summary"}
	unitKeys       = []string{"unit", "units"}
)

var degrees = regexp.MustCompile(`(-?\d+(?:\.\d+)?) ?°? ?(?:(C|c|℃)|(F|f|℉)|degrees|度)`)

// readWeather reads the result of a weather tool, whosever it is: an object, or
// a sentence with degrees in it.
func readWeather(result string) report {
	var object map[string]any
	if json.Unmarshal([]byte(result), &object) != nil {
		return readSentence(result)
	}
	fields := map[string]any{}
	flatten(fields, object)
	w := report{city: textAt(fields, placeKeys), condition: textAt(fields, conditionKeys), sample: fields["sample"] == true}
	if v, ok := numberAt(fields, celsiusKeys); ok {
		if unit := strings.ToLower(textAt(fields, unitKeys)); strings.HasPrefix(unit, "f") || strings.Contains(unit, "°f") {
			v = celsius(v)
		}
		w.celsius = &v
	} else if v, ok := numberAt(fields, fahrenheitKeys); ok {
		v = celsius(v)
		w.celsius = &v
	}
	return w
}

func readSentence(text string) report {
	found := degrees.FindStringSubmatch(text)
	if found == nil {
		return report{}
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return report{}
	}
	if found[3] != "" {
		v = celsius(v)
	}
	return report{celsius: &v}
}

// celsius converts degrees Fahrenheit, to one decimal.
func celsius(f float64) float64 { return rounded((f - 32) * 5 / 9) }

// flatten puts the fields of an object and those inside it under simple keys;
// the outer ones win.
func flatten(into, object map[string]any) {
	for k, v := range object {
		into[strings.ToLower(strings.ReplaceAll(k, "_", ""))] = v
	}
	for _, v := range object {
		inner, ok := v.(map[string]any)
		if !ok {
			continue
		}
		for k, v := range inner {
			if k = strings.ToLower(strings.ReplaceAll(k, "_", "")); into[k] == nil {
				into[k] = v
			}
		}
	}
}

func textAt(fields map[string]any, keys []string) string {
	for _, k := range keys {
		if s, ok := fields[k].(string); ok {
			return s
		}
	}
	return ""
}

func numberAt(fields map[string]any, keys []string) (float64, bool) {
	for _, k := range keys {
		switch v := fields[k].(type) {
		case float64:
			return v, true
		case string:
			if found := degrees.FindStringSubmatch(v + " C"); found != nil {
				n, err := strconv.ParseFloat(found[1], 64)
				return n, err == nil
			}
		}
	}
	return 0, false
}

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

// weatherSentence tells a result of the weather tool.
func weatherSentence(t turn, c call, result string) string {
	w := readWeather(result)
	w.city = cmp.Or(w.city, argument(c, weatherSkill.fields...))
	if !w.known() {
		return t.in(
			fmt.Sprintf("I could not get the weather for %s: %s", w.city, quote(result)),
			fmt.Sprintf("没能查到%s的天气：%s", zhName(w.city), quote(result)))
	}
	english, chinese := w.sentences()
	if t.means(rainWords...) && w.condition != "" {
		english, chinese = w.rain(english, chinese)
	}
	if w.sample {
		english, chinese = english+" (Sample data.)", chinese+"（示例数据）"
	}
	return t.in(english, chinese)
}

func (w report) sentences() (english, chinese string) {
	if w.condition == "" {
		return fmt.Sprintf("It is %s °C in %s.", decimal(*w.celsius), w.city), fmt.Sprintf("%s现在 %s °C。", zhName(w.city), decimal(*w.celsius))
	}
	condition := strings.ToLower(w.condition)
	joint := "and"
	if slices.Contains(nouns, lastWord(condition)) {
		joint = "with"
	}
	return fmt.Sprintf("It is %s °C %s %s in %s.", decimal(*w.celsius), joint, condition, w.city),
		fmt.Sprintf("%s现在 %s °C，%s。", zhName(w.city), decimal(*w.celsius), cmp.Or(conditionZH[condition], w.condition))
}

// rain puts the answer to whether it rains before the sentences.
func (w report) rain(english, chinese string) (string, string) {
	if slices.Contains(wet, lastWord(strings.ToLower(w.condition))) {
		return "Yes, it is wet. " + english, "在下雨。" + chinese
	}
	return "No rain. " + english, "没有下雨。" + chinese
}

func lastWord(s string) string { return s[strings.LastIndex(s, " ")+1:] }
