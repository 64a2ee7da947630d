package demo

import "fmt"

// talks are the questions about the demo model itself, and small talk.
var talks = []intent{
	{
		phrases: []string{
			"who made you", "who created you", "who built you", "who wrote you", "who developed you", "who trained you", "who invented you", "who designed you", "who is behind you",
			"who made this", "who created this", "who built this", "who wrote this", "your developer", "your creator", "your maker", "your author", "company … you", "where do you come from",
			"谁…你", "誰…你", "你…谁做", "你…谁开发", "你…谁创造", "你…谁制造", "你…谁训练", "你…谁发明", "你…谁写", "你…谁造", "你…誰開發", "你…哪家公司", "你…哪个公司", "你…什么公司",
			"你的开发者", "你的作者", "你的主人", "你来自哪里", "你从哪里来",
		},
		brief:   []string{"谁做的", "谁开发的", "谁创造的", "谁写的"},
		english: "The people who make Fusebox wrote my rules. Nobody trained me: I am a table of phrases and some small functions.",
		chinese: "是 Fusebox 的作者编写了我的规则。我没有经过训练，只是一张短语表加上一些小函数。",
	},
	{
		phrases: []string{
			"what model", "which model", "what llm", "which llm", "what language model", "which language model", "your model", "are you gpt", "are you chatgpt", "are you claude", "are you gemini",
			"are you a robot", "are you a bot", "are you human", "are you real",
			"什么模型", "哪个模型", "哪种模型", "哪款模型", "啥模型", "什麼模型", "你…模型", "你…gpt", "你…chatgpt", "你是机器人", "你是人吗", "你是真人",
		},
		reply: namingModel,
	},
	{
		brief:   []string{"thanks", "thank you", "thx", "cheers", "谢谢", "多谢", "感谢", "谢啦", "谢了", "謝謝", "多謝"},
		english: "You are welcome.",
		chinese: "不客气。",
	},
	{
		phrases: []string{
			"what can you do", "what do you do", "what else can you", "what can you help", "how can you help", "can you help", "what can i ask", "what should i ask", "what can i do here",
			"what are you able to", "what are you good at", "what do you know", "your abilities", "your features", "your skills",
			"能做什么", "能做些什么", "能做啥", "能干什么", "能干些什么", "能干嘛", "能干啥", "可以做什么", "可以做些什么", "会做什么", "会做些什么", "会什么", "会干什么", "会些什么",
			"什么功能", "哪些功能", "什么本事", "什么能力", "哪些能力", "能帮我什么", "能帮我做什么", "帮我什么忙", "怎么用", "怎么使用", "能做什麼", "可以做什麼",
		},
		brief:   []string{"help", "帮助", "帮帮我", "幫助"},
		english: "I can tell the weather (“weather in Shenzhen and Chengdu”), compare two cities (“how much warmer is Shenzhen than Beijing?”), calculate (“what is 12*(3+4)?”), read files (“list the files and read package.json”), look things up (“look up night trains”), hand work to agents (“compare the weather in Berlin, Paris, and Rome, one agent per city”), and run tests: “test dead loop”, “test ping-pong”, “test cycle”, “test polling”, “test retry”, “test budget”, “test approval”, “test question”, “test choose”, “test draft”, “test takeover”, “test plan”, “test outputs”, “test compaction”, “test parallel”, “test files”, “test sources”, “test chanting”, “test thinking”, “test markdown”.",
		chinese: "我可以查天气（“深圳和成都的天气”）、比较两个城市（“深圳比北京热多少”）、算数（“算一下 12*(3+4)”）、看文件（“列出文件并读取 package.json”）、上网查资料（“上网查夜行列车”）、把任务交给多个智能体（“让三个智能体分别查询北京、上海和广州的天气并比较”），还可以做测试：“测试死循环”“测试乒乓”“测试循环”“测试轮询”“测试重试”“测试预算”“测试审批”“测试提问”“测试选择”“测试草稿”“测试接管”“测试计划”“测试产出”“测试压缩”“测试并行”“测试文件”“测试来源”“测试复读”“测试思考”“测试长文”。",
	},
	{
		phrases: []string{
			"go online", "are you online", "you … the internet", "you … internet access", "you … the web", "you … online",
			"上网", "联网", "连网", "互联网", "访问网络", "上網", "聯網",
		},
		english: "Only through tools: I am rules inside Fusebox. Say “look up night trains” and I search a few sample pages.",
		chinese: "只能通过工具：我只是 Fusebox 里的一组规则。对我说“上网查夜行列车”，我就会搜索几个示例网页。",
	},
	{
		phrases: []string{
			"what time is it", "what's the time", "what is the time", "current time", "the time now", "know the time", "tell me the time", "have the time", "got the time",
			"what day is it", "which day is it", "what day is today", "what is the date", "what's the date", "what date is it", "today's date", "date today",
			"几点", "现在时间", "现在的时间", "什么时间", "什么时候了", "今天…几号", "今天…几月", "今天…星期几", "今天…周几", "今天是几", "今天日期", "今天的日期", "幾點", "今天…幾號", "現在時間",
		},
		reply: tellingTime,
	},
	{
		phrases: []string{
			"who are you", "who're you", "your name", "introduce yourself", "about yourself", "what should i call you",
			"你…是谁", "您…是谁", "你是誰", "你叫什么", "你叫什麼", "您贵姓", "怎么称呼", "你的名字", "介绍一下你自己", "介绍下你自己", "介绍一下自己", "自我介绍", "自我介紹",
		},
		brief:   []string{"what are you", "你是什么", "你是啥"},
		whole:   []string{"you", "you there", "hey you there", "你", "您", "某你", "你呢", "你你", "喂你", "那你", "你啊", "你呀", "哎你"},
		english: "I am the demo model that is built into Fusebox. I follow simple rules, need no network, and show what the breakers do.",
		chinese: "我是 Fusebox 内置的演示模型。我按简单的规则回答，不需要网络，用来展示各种熔断器。",
	},
	{
		phrases: []string{"tell me a joke", "another joke", "make me laugh", "讲个笑话", "说个笑话", "讲笑话", "講個笑話"},
		english: "A loop walks into a bar. A loop walks into a bar. A loop walks into a bar. The breaker asks it to leave.",
		chinese: "一个循环走进酒吧。一个循环走进酒吧。一个循环走进酒吧。熔断器请它出去。",
	},
	{
		phrases: []string{"goodbye", "good bye", "bye bye", "see you", "good night", "再见", "再會", "再会", "拜拜", "晚安", "回头见", "下次见", "明天见", "再見"},
		brief:   []string{"bye", "cya", "ciao", "回见", "走了", "不聊了", "先这样", "下线了"},
		whole: []string{
			"exit", "quit", "exit please", "please exit", "quit please", "leave", "log out", "logout", "end chat", "end the chat", "close the chat", "that's all", "that is all", "i'm done", "i am done", "we are done", "we're done", "nothing else",
			"退出", "退出吧", "我要退出", "我想退出", "退出聊天", "退出对话", "结束", "结束吧", "结束了", "结束对话", "结束聊天", "关闭对话", "下线", "没事了", "没有了", "就这样吧", "就这样", "到此为止", "退下吧",
		},
		english: "Goodbye! The chat stays here: come back whenever you like.",
		chinese: "再见！对话会保留在这里，随时可以回来。",
	},
	{
		phrases: []string{
			"well done", "good job", "great job", "nice work", "good work", "great work", "you are great", "you're great", "you are awesome", "you're awesome", "you are smart", "you're smart", "i like you", "i love you",
			"做得好", "做的好", "做得不错", "干得好", "干得漂亮", "干得不错", "你真", "你好棒", "太棒了", "真厉害", "好厉害", "好聪明", "我喜欢你", "幹得好",
		},
		brief:   []string{"great", "awesome", "excellent", "perfect", "amazing", "cool", "nice", "bravo", "wow", "很好", "不错", "厉害", "优秀", "真棒", "牛"},
		english: "Thank you! The rules did the work.",
		chinese: "谢谢夸奖！都是规则的功劳。",
	},
	{
		phrases: []string{"how are you", "how's it going", "how are things", "how do you do", "what's up", "你好吗", "您好吗", "你怎么样", "最近怎么样", "最近好吗", "过得怎么样", "你好嗎"},
		english: "All fuses are in order, thank you. What shall I do for you?",
		chinese: "一切正常，所有保险丝都完好。需要我做什么？",
	},
	{
		brief:   []string{"sorry", "apologies", "对不起", "抱歉", "不好意思"},
		english: "No harm done.",
		chinese: "没关系。",
	},
	{
		brief: []string{
			"hi", "hello", "hey", "howdy", "greetings", "good morning", "good afternoon", "good evening", "good day", "nice to meet you",
			"你好", "您好", "嗨", "哈喽", "哈啰", "大家好", "早上好", "早安", "上午好", "中午好", "下午好", "晚上好", "很高兴认识你", "在吗", "在嗎",
		},
		english: "Hello! I am the demo model. Ask me for the weather, a calculation, or “what can you do?”.",
		chinese: "你好！我是演示模型。可以问我天气、算数，或者问“你能做什么”。",
	},
	{
		phrases: []string{"let me give it a try", "i'll give it a try", "i will give it a try"},
		brief: []string{
			"let me try", "i will try", "i'll try", "let me have a try", "just trying", "just testing", "trying it out", "try it out", "let's try", "let us try", "let me see",
			"我试试", "我试一下", "我试一试", "我来试", "我先试", "让我试", "试试看", "试一下看", "随便试试", "试用一下", "我试用", "我试着", "我看看", "我測試一下", "我测试一下", "我試試",
		},
		whole:   []string{"try", "test", "testing", "试试", "试一下", "试一试", "测试", "测试一下", "測試", "試試"},
		english: "Go ahead: ask for the weather, a calculation, or “what can you do?” for all that I show.",
		chinese: "请便：可以问天气、算数，或者问“你能做什么”，看看我都能演示什么。",
	},
	{
		brief:   []string{"ok", "okay", "yes", "no", "alright", "sure", "好的", "好吧", "好", "嗯", "是的", "不是", "行", "可以"},
		english: "All right. What is next? Ask “what can you do?” for ideas.",
		chinese: "好的。接下来做什么？可以问我“你能做什么”。",
	},
}

// namingModel says under which name the demo model was asked.
func namingModel(t turn) answer {
	return say(t.in(
		fmt.Sprintf("I am “%s”, the demo model of Fusebox: no neural network, but rules that always answer the same.", t.model),
		fmt.Sprintf("我是“%s”，Fusebox 的演示模型：不是神经网络，而是一组规则，同样的问题总是同样的回答。", t.model)))
}

var weekdaysZH = [...]string{"日", "一", "二", "三", "四", "五", "六"}

// tellingTime reads the clock of the server that the demo model runs on.
func tellingTime(t turn) answer {
	return say(t.in(
		"By the clock of my server it is "+t.now.Format("15:04 MST on Monday, 2 January 2006")+".",
		"按我所在服务器的时钟，现在是 "+t.now.Format("2006 年 1 月 2 日")+"（星期"+weekdaysZH[t.now.Weekday()]+"）"+t.now.Format("15:04 MST")+"。"))
}
