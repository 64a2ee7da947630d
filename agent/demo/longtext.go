package demo

// longEnglish and longChinese have everything that a page has to render.
const longEnglish = `# How a breaker works

A **breaker** watches an agent run and decides, before each tool call, whether it may go on. It has three levels:

1. *Warning*: a reminder joins the next request.
2. *Critical*: the call is blocked and a person decides.
3. *Breaker*: the run ends, whatever anybody said before.

## The numbers

| detector | warns at | pauses at | stops at |
| --- | ---: | ---: | ---: |
| generic_repeat | 5 | 8 | |
| no_progress | 5 | 8 | |
| ping_pong | 5 | 8 | |
| global_circuit_breaker | | | 10 |

## The idea in code

` + "```go" + `
// verdict counts equal calls at the end of the history.
func verdict(history []Call, next Call) Level {
	n := 1
	for i := len(history) - 1; i >= 0 && history[i] == next; i-- {
		n++
	}
	switch {
	case n >= 10:
		return Stop
	case n >= 8:
		return Pause
	case n >= 5:
		return Warn
	}
	return Pass
}
` + "```" + `

Things to remember:

- A blocked call is *not* progress.
  - It counts towards its streak.
  - It has no result.
- Reading forty different files is fine.
- A poll whose answer changes is fine too.

> A tripped run is not lost. It is paused, with the evidence on the table.

Use ` + "`resume`" + ` to go on, or read more about [circuit breakers](https://en.wikipedia.org/wiki/Circuit_breaker_design_pattern).

---

That was a long answer with a heading, lists, a table, code, a quote and a link.
`

const longChinese = `# 熔断器如何工作

**熔断器**看着智能体的每一次运行，在每次调用工具之前决定能不能继续。它有三级：

1. *警告*：在下一次请求里加一条提醒。
2. *严重*：调用被拦下，由人来决定。
3. *断开*：运行结束，无论之前谁说过什么。

## 数字

| 检测器 | 警告 | 暂停 | 停止 |
| --- | ---: | ---: | ---: |
| generic_repeat | 5 | 8 | |
| no_progress | 5 | 8 | |
| ping_pong | 5 | 8 | |
| global_circuit_breaker | | | 10 |

## 用代码表示

` + "```python" + `
def verdict(history, call):
    """数一数历史末尾有多少次相同的调用。"""
    n = 1
    for past in reversed(history):
        if past != call:
            break
        n += 1
    if n >= 10:
        return "stop"
    return "pause" if n >= 8 else "warn" if n >= 5 else "pass"
` + "```" + `

要点：

- 被拦下的调用*不算*进展。
  - 它计入连续次数。
  - 它没有结果。
- 读四十个不同的文件没有问题。
- 结果会变化的轮询也没有问题。

> 跳闸的运行没有丢失，它只是暂停，证据都摆在桌上。

用 ` + "`resume`" + ` 继续，或者阅读[熔断器模式](https://en.wikipedia.org/wiki/Circuit_breaker_design_pattern)。

---

这是一篇长回答，有标题、列表、表格、代码、引用和链接。
`
