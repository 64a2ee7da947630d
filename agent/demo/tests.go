package demo

// tests are the requests that show what Fusebox does, each by its name. docs/demo.md
// lists what each of them shows.
var tests = []intent{
	{phrases: []string{"test dead loop", "test deadloop", "测试死循环", "測試死循環"}, reply: rounds("1+1")},
	{phrases: []string{"test ping pong", "test pingpong", "测试乒乓", "測試乒乓"}, reply: rounds("1+1", "2+2")},
	{phrases: []string{"test cycle", "测试循环", "測試循環"}, reply: rounds("1+1", "2+2", "3+3")},
	{phrases: []string{"test similar", "测试相似", "測試相似"}, reply: varying},
	{phrases: []string{"test no progress", "测试没有进展", "测试无进展", "測試沒有進展"}, reply: returning},
	{phrases: []string{"test nothing new", "测试没有新意", "測試沒有新意"}, reply: shuffling},
	{phrases: []string{"test errors", "测试错误", "測試錯誤"}, reply: failing},
	{phrases: []string{"test unknown tool", "测试未知工具", "測試未知工具"}, reply: inventing},
	{phrases: []string{"test repeated answer", "测试重复回答", "測試重複回答"}, reply: insistingIsDone},
	{phrases: []string{"test forgetting", "测试遗忘", "測試遺忘"}, reply: forgetting},
	{phrases: judgedPhrases, reply: wandering},
	{phrases: []string{"test timeout", "测试超时", "測試超時"}, reply: wandering},
	{phrases: []string{"test polling", "测试轮询", "測試輪詢"}, reply: polling},
	{phrases: []string{"test chanting", "测试复读", "測試復讀"}, reply: chanting},
	{phrases: []string{"test counting chant", "测试计数复读", "測試計數復讀"}, reply: countingChant},

	{phrases: []string{"test critical approval", "测试高危审批", "測試高危審批"}, reply: commanding(criticalCommand, cleaning)},
	{phrases: []string{"test approval", "测试审批", "測試審批"}, reply: commanding(riskyCommand, cleaning)},
	{phrases: []string{"test choose", "test question many", "测试选择", "測試選擇", "测试提问多选"}, reply: choosing},
	{phrases: []string{"test question", "测试提问", "測試提問"}, reply: questioning},
	{phrases: []string{"test takeover", "test take over", "测试接管", "測試接管"}, reply: handingOver},
	{phrases: []string{"test budget", "测试预算", "測試預算"}, reply: spending},
	{phrases: []string{"test plan", "测试计划", "測試計劃"}, reply: planning},
	{phrases: []string{"test outputs", "测试产出", "測試產出"}, reply: owing},
	{phrases: []string{"test edit", "测试编辑", "測試編輯"}, reply: editing},
	{phrases: []string{"test search", "测试搜索", "測試搜尋"}, reply: searching},
	{phrases: []string{"test sources", "测试来源", "測試來源"}, reply: sourcing},
	{phrases: []string{"test long output", "测试长输出", "測試長輸出"}, reply: longOutput},
	{phrases: []string{"test files", "test file", "测试文件", "測試文件"}, reply: files},

	{phrases: []string{"test retry", "测试重试", "測試重試"}, reply: refusing},
	{phrases: []string{"test broken chain", "测试断链", "測試斷鏈"}, reply: breaking},
	{phrases: []string{"test provider error", "测试供应商错误", "測試供應商錯誤"}, reply: locked},
	{phrases: []string{"test compaction", "测试压缩", "測試壓縮"}, reply: compacting},

	{phrases: []string{"test parallel", "测试并行", "測試並行"}, reply: parallel},
	{phrases: []string{"test thinking", "test reasoning", "测试思考", "測試思考"}, reply: thinking},
	{phrases: []string{"test markdown", "test long", "test long text", "long markdown", "markdown example", "测试长文", "測試長文", "测试markdown", "测试 markdown"}, english: longEnglish, chinese: longChinese},
	{phrases: []string{"test terminate", "测试终止", "測試終止"}, reply: terminating},
}
