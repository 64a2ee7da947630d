// Package reports reads what weather tools tell, whosever they are, and says it in English
// and Chinese.
package reports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent/demo/sums"
)

// Report is the weather as a tool tells it; what it leaves out is empty.
type Report struct {
	City, Condition string
	Celsius         *float64
	// Sample says that the tool made it up.
	Sample bool
}

// Known reports whether the weather was told.
func (w Report) Known() bool { return w.Celsius != nil }

// The keys under which tools tell the weather, in lower case without underscores.
var (
	celsiusKeys    = []string{"temperaturec", "tempc", "celsius", "temperature", "temp", "temperature2m"}
	fahrenheitKeys = []string{"temperaturef", "tempf", "fahrenheit"}
	placeKeys      = []string{"city", "location", "place", "name"}
	conditionKeys  = []string{"condition", "conditions", "weather", "description", "forecast", "summary"}
	unitKeys       = []string{"unit", "units"}
)

var degrees = regexp.MustCompile(`(-?\d+(?:\.\d+)?) ?°? ?(?:(C|c|℃)|(F|f|℉)|degrees|度)`)

// Read reads the result of a weather tool: an object, or a sentence with degrees in it.
func Read(result string) Report {
	var object map[string]any
	if json.Unmarshal([]byte(result), &object) != nil {
		found := degrees.FindStringSubmatch(result)
		if found == nil {
			return Report{}
		}
		v, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			return Report{}
		}
		if found[3] != "" {
			v = celsius(v)
		}
		return Report{Celsius: &v}
	}
	fields := map[string]any{}
	flatten(fields, object)
	w := Report{City: textAt(fields, placeKeys), Condition: textAt(fields, conditionKeys), Sample: fields["sample"] == true}
	if v, ok := numberAt(fields, celsiusKeys); ok {
		if unit := strings.ToLower(textAt(fields, unitKeys)); strings.HasPrefix(unit, "f") || strings.Contains(unit, "°f") {
			v = celsius(v)
		}
		w.Celsius = &v
	} else if v, ok := numberAt(fields, fahrenheitKeys); ok {
		v = celsius(v)
		w.Celsius = &v
	}
	return w
}

// celsius converts degrees Fahrenheit, to one decimal.
func celsius(f float64) float64 { return sums.Rounded((f - 32) * 5 / 9) }

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

// City is a place, by the names people call it.
type City struct{ Name, Chinese string }

var cities = []City{
	{"Beijing", "北京"}, {"Shanghai", "上海"}, {"Shenzhen", "深圳"}, {"Guangzhou", "广州"}, {"Hangzhou", "杭州"}, {"Chengdu", "成都"}, {"Hong Kong", "香港"},
	{"Nanjing", "南京"}, {"Wuhan", "武汉"}, {"Xi'an", "西安"}, {"Chongqing", "重庆"}, {"Tianjin", "天津"}, {"Suzhou", "苏州"},
	{"Tokyo", "东京"}, {"Singapore", "新加坡"}, {"Sydney", "悉尼"}, {"London", "伦敦"}, {"Paris", "巴黎"}, {"Berlin", "柏林"}, {"Rome", "罗马"},
	{"New York", "纽约"}, {"San Francisco", "旧金山"},
}

// Cities are the known cities, in the order in which some words name them: words in lower
// case, each with a space on both sides.
func Cities(words string) []City {
	at := map[City]int{}
	var found []City
	for _, c := range cities {
		i := strings.Index(words, " "+strings.ToLower(c.Name)+" ")
		if i < 0 {
			i = strings.Index(words, c.Chinese)
		}
		if i >= 0 {
			at[c] = i
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b City) int { return cmp.Compare(at[a], at[b]) })
	return found
}

// ChineseName translates the name of a known city, and keeps others.
func ChineseName(name string) string {
	for _, c := range cities {
		if strings.EqualFold(c.Name, name) {
			return c.Chinese
		}
	}
	return name
}
