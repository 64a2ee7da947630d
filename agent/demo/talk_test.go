package demo

import (
	"strings"
	"testing"
	"time"

	"fusebox/agent/demo/wire"
)

// TestTalkIsUnderstoodByItsMeaning: each answer is known by a word in it.
func TestTalkIsUnderstoodByItsMeaning(t *testing.T) {
	t.Parallel()
	for want, requests := range map[string][]string{
		"built into Fusebox": {"so, who are you exactly?", "Hi, who are you?", "Tell me about yourself please", "what's your name?", "Introduce yourself!"},
		"内置的演示模型":            {"你到底是谁", "请问您是谁？", "你叫什么名字", "做个自我介绍吧", "你是誰？"},
		"“demo”":             {"what model are you?", "Which model is this?", "Which LLM am I talking to?", "are you ChatGPT?", "你是什么模型", "请问现在用的是哪个模型？", "你是哪个大模型", "你用的什么大模型", "你是GPT吗"},
		"wrote my rules":     {"who made you?", "Who created this?", "who is your developer", "Which company built you?"},
		"编写了我的规则":            {"谁开发了你", "你是谁开发的？", "你是哪家公司做的", "你的作者是谁", "谁创造了你？"},
		"I can tell":         {"what can you do?", "help", "Help me please", "What can I ask you?", "How can you help me?", "what are you good at?"},
		"我可以查天气":             {"你能做什么", "您能做些什么？", "你会干什么", "你有什么本事", "帮助", "你有哪些功能呢"},
		"Only through tools": {"Can you go online?", "do you have internet access", "can you browse the web?", "Are you connected to the internet?", "can you search the internet"},
		"只能通过工具":             {"你能上网吗", "可以联网吗？", "你会上网查资料吗", "你能访问互联网吗"},
		"By the clock":       {"what time is it?", "Do you know the time?", "tell me the time", "what's today's date?", "Which day is it today?"},
		"按我所在服务器的时钟":         {"现在几点了？", "几点啦", "今天是几号", "今天星期几？", "现在是什么时间", "今天几月几号"},
		"Goodbye!":           {"goodbye", "Bye!", "bye for now", "see you later", "good night"},
		"再见！":                {"再见", "拜拜啦", "晚安", "我先走了，再见", "下次见"},
		"Hello!":             {"hi", "Hello there!", "hey you", "good morning", "Hi!"},
		"你好！":                {"你好", "您好！", "嗨", "早上好", "在吗？", "哈喽"},
		"You are welcome":    {"thanks", "Thanks a lot!", "thank you so much", "many thanks"},
		"不客气":                {"谢谢", "多谢啦", "太感谢了", "谢谢你的帮助"},
		"The rules did":      {"well done", "Good job!", "great", "nice work", "you are great", "Excellent!"},
		"都是规则":               {"做得好", "干得漂亮", "真厉害", "太棒了！", "你真聪明", "不错"},
	} {
		for _, request := range requests {
			turn := newTurn(requestOf(request), time.Now())
			if got := reply(turn).text; !strings.Contains(got, want) {
				t.Errorf("%s: %s", request, got)
			}
		}
	}
}

// TestWeatherIsUnderstoodByItsMeaning: each request looks up the city.
func TestWeatherIsUnderstoodByItsMeaning(t *testing.T) {
	t.Parallel()
	for city, requests := range map[string][]string{
		"Hangzhou": {"杭州热不热", "杭州今天冷吗？", "杭州现在多少度", "杭州要带伞吗", "请问杭州会不会下雨", "Is it hot in Hangzhou?", "Do I need an umbrella in Hangzhou?", "hangzhou weather", "How is it outside in Hangzhou?"},
		"Paris":    {"will it rain in Paris", "Is it raining in Paris?", "paris forecast", "What's it like in Paris today, sunny?", "巴黎天气", "How cold is Paris?", "Is Paris cold right now?"},
		"Oslo":     {"weather in Oslo", "Will it snow in Oslo tomorrow?"},
		"拉萨":       {"拉萨天气怎么样", "拉萨今天热不热？", "帮我查一下拉萨的气温"},
	} {
		for _, request := range requests {
			r := requestOf(request)
			r.Tools = make([]wire.Tool, 1)
			r.Tools[0].Function.Name = "get_weather"
			a := reply(newTurn(r, time.Now()))
			if len(a.calls) != 1 || argument(a.calls[0], "city") != city {
				t.Errorf("%s: %v %s", request, a.calls, a.text)
			}
		}
	}
}

func requestOf(text string) request {
	return request{Model: Model, Messages: []wire.Message{{Role: "user", Content: wire.Content(text)}}}
}
