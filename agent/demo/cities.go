package demo

import (
	"cmp"
	"slices"
	"strings"
)

// city is a place the demo model knows, by the names people call it.
type city struct{ name, zh string }

// cities are those of the sample weather.
var cities = []city{
	{"Beijing", "北京"}, {"Shanghai", "上海"}, {"Shenzhen", "深圳"}, {"Guangzhou", "广州"}, {"Hangzhou", "杭州"}, {"Chengdu", "成都"}, {"Hong Kong", "香港"},
	{"Nanjing", "南京"}, {"Wuhan", "武汉"}, {"Xi'an", "西安"}, {"Chongqing", "重庆"}, {"Tianjin", "天津"}, {"Suzhou", "苏州"},
	{"Tokyo", "东京"}, {"Singapore", "新加坡"}, {"Sydney", "悉尼"}, {"London", "伦敦"}, {"Paris", "巴黎"}, {"Berlin", "柏林"}, {"Rome", "罗马"},
	{"New York", "纽约"}, {"San Francisco", "旧金山"},
}

// citiesIn lists the known cities in the order in which some words name them.
func citiesIn(words string) []city {
	at := map[city]int{}
	var found []city
	for _, c := range cities {
		i := strings.Index(words, " "+strings.ToLower(c.name)+" ")
		if i < 0 {
			i = strings.Index(words, c.zh)
		}
		if i >= 0 {
			at[c] = i
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b city) int { return cmp.Compare(at[a], at[b]) })
	return found
}

func zhName(name string) string {
	for _, c := range cities {
		if strings.EqualFold(c.name, name) {
			return c.zh
		}
	}
	return name
}
