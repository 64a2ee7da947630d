package agent

import "testing"

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Language{
		"": English, "42": English, "What is the weather in Paris?": English,
		"查询香港的天气": Chinese, "请运行 npm test 并修复失败的测试": Chinese,
		"Translate 你好 into English, please, and explain how it is pronounced": English,
		"香港の天気を調べて": English, "홍콩 날씨": English,
	} {
		if got := LanguageOf(text); got != want {
			t.Errorf("%q is %s", text, got)
		}
	}
}
