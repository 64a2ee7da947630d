package demo

import (
	"strings"
	"testing"
	"time"

	"fusebox/agent/demo/wire"
)

// toldIn is the answer to a request with tools: its text, and its calls as "name args".
func toldIn(text string, tools ...string) string {
	r := requestOf(text)
	for _, name := range tools {
		w := wire.Tool{}
		w.Function.Name = name
		r.Tools = append(r.Tools, w)
	}
	a := reply(newTurn(r, time.Now()))
	said := a.text
	for _, c := range a.calls {
		said += " " + c.name + " " + c.args
	}
	return said
}

// TestMeaningsInOtherWords: the same wish in many words; each answer is known by a part of it.
func TestMeaningsInOtherWords(t *testing.T) {
	t.Parallel()
	tools := []string{"get_weather", "calculator", "web_search", "web_fetch", "remember", "recall", "knowledge_search", "find_tools"}
	for want, requests := range map[string][]string{
		"Goodbye!":                        {"exit", "Exit.", "/exit", "quit", "/quit", "exit please", "that's all", "I'm done", "log out", "End the chat."},
		"再见！":                             {"退出", "退出。", "我要退出", "结束对话", "没事了", "就这样吧", "下线", "不聊了", "退出聊天"},
		"内置的演示模型":                         {"某你", "你", "那你"},
		"Go ahead":                        {"let me try", "I'll try", "just testing", "Let me give it a try", "testing"},
		"请便":                              {"我试试", "我试试。", "让我试试看", "我先试一下", "试一试", "随便试试", "测试"},
		`get_weather {"city":"Shanghai"}`: {"上海晴不晴", "上海晴不晴？", "上海今天晴吗", "上海多云吗", "上海出太阳了吗", "上海闷不闷", "上海下不下雨"},
		`get_weather {"city":"拉萨"}`:       {"拉萨晴不晴", "拉萨有没有太阳", "拉萨风大不大"},
		`get_weather {"city":"Beijing"}`:  {"北京和上海的温度差值", "北京与上海气温差是多少", "北京和上海温度差距", "北京、上海气温之差", "How far apart are Beijing and Shanghai?"},
		`calculator {"expression":"3+5"}`: {"what is 3 and 5", "What's 3 and 5?", "how much is 3 and 5 together?", "What do 3 and 5 make?", "three and five together", "add 3 and 5", "so, what is three and five?", "3和5合起来是多少", "3跟5总共多少", "3 与 5 加在一起"},
		`web_search`: {"search for night trains", "Search for: night trains", "please search the web for night trains", "can you search online for night trains?", "do a web search for night trains", "find information about night trains", "web search night trains", "Search the internet for night trains!",
			"搜一下夜行列车", "搜一下：夜行列车", "帮我搜一下夜行列车", "联网搜索夜行列车", "联网查一下夜行列车", "请上网搜索夜行列车", "搜索夜行列车", "百度一下夜行列车", "在网上找一下夜行列车", "搜搜看夜行列车"},
		`knowledge_search {"query":"night trains"}`: {"search my documents for night trains", "Search all my notes for night trains.", "please look through my files for night trains", "What do my documents say about night trains?", "Search my documents and the web for night trains", "what does my library say about night trains"},
		`knowledge_search {"query":"夜行列车"}`:         {"在我的文档里搜索夜行列车", "搜索我的笔记里关于夜行列车的内容", "查一下我的文档：夜行列车", "在我的文档和网上搜索夜行列车", "帮我在我的资料中查找夜行列车"},
		`remember {"text":"`:                        {"记录一下我喜欢绿茶", "帮我记录一下：我喜欢绿茶", "记一下我喜欢绿茶", "请记下我喜欢绿茶", "别忘了我喜欢绿茶", "备忘：周五开会", "note that I like green tea", "Make a note: I like green tea", "don't forget that I like green tea", "please take note that I like tea", "Jot down I like tea"},
	} {
		for _, request := range requests {
			if got := toldIn(request, tools...); !strings.Contains(got, want) {
				t.Errorf("%s: %s, not %s", request, got, want)
			}
		}
	}
}

// TestMeaningsThatAreNot: what only looks like one of these wishes.
func TestMeaningsThatAreNot(t *testing.T) {
	t.Parallel()
	tools := []string{"get_weather", "calculator", "web_search", "web_fetch", "remember"}
	for not, requests := range map[string][]string{
		"calculator {":  {"what is 3 and 5 in this list?", "what is between 3 and 5", "rows 3 and 5", "what is chapter 3 and 5 about", "look at 3 and 5", "what are 3 and 5 star hotels"},
		"Goodbye!":      {"what is exit code 1", "how do I quit smoking", "exit strategy", "the exit is closed"},
		"再见！":           {"怎么退出程序", "退出码是什么", "结束语怎么写"},
		"web_search {":  {"search for the file config.toml", "search for TODO in the code", "search for errors in my files", "搜一下文件里的错误", "联网搜索可以吗", "搜索工具", "can you search the internet"},
		"remember {":    {"do you remember me", "write down the sum", "记录在哪里", "记得吗", "记得我是谁吗"},
		"内置的演示模型":       {"某人", "你好", "你们"},
		"请便":            {"我试试查上海天气", "测试审批"},
		"get_weather {": {"what is the gap", "心情阴不阴沉"},
	} {
		for _, request := range requests {
			if got := toldIn(request, tools...); strings.Contains(got, not) {
				t.Errorf("%s: %s", request, got)
			}
		}
	}
}
