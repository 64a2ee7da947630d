package reports

import (
	"cmp"
	"slices"
	"strings"
)

// City is a place, by the names people call it.
type City struct{ Name, Chinese string }

// cities are those of the sample weather.
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
