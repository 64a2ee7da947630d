package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stuck is how many times the agents of the fixtures make the same call.
const stuck = 8

// list is n values of a JSON array, joined; %[1]d in one is its number.
func list(n int, format, sep string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, sep)
}

// The same agent in each format: it looks at a door eight times.
var (
	openAITurn = `{"role":"assistant","content":null,"tool_calls":[{"id":"call_%[1]d","type":"function","function":{"name":"look","arguments":"{\"at\": \"door\"}"}}]}` +
		"SEP" + `{"role":"tool","tool_call_id":"call_%[1]d","content":[{"type":"text","text":"closed"}]}`
	openAIFunction = `{"role":"assistant","function_call":{"name":"look","arguments":"{}"}},{"role":"function","name":"look","content":"closed"}`
	openAIHead     = `{"role":"system","content":"Be brief."}SEP{"role":"user","content":"Is the door open?"}SEP`
	langChainTurn  = `{"type":"ai","data":{"content":"","tool_calls":[{"name":"look","args":{"at":"door"},"id":"c%[1]d","type":"tool_call"}]}},` +
		`{"type":"tool","data":{"content":"closed","tool_call_id":"c%[1]d","status":"success"}}`
	langChainFlat = `{"type":"ai","content":[{"type":"text","text":""}],"tool_calls":[],"additional_kwargs":{"tool_calls":[{"id":"c%[1]d","type":"function","function":{"name":"look","arguments":"{\"at\":\"door\"}"}}]}},` +
		`{"type":"tool","content":"closed","tool_call_id":"c%[1]d"}`
	langChainLC = `{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"look","args":{"at":"door"},"id":"c"}]}},` +
		`{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"no door %[1]d","tool_call_id":"c","status":"error"}}`
	sweAgentStep = `{"thought":"Let me look, %[1]d.","action":"open door.py\n","observation":"closed","state":"{}"}`
	otlpTool     = `{"traceId":"t","name":"execute_tool look","startTimeUnixNano":"%[1]d1","attributes":[
		{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"look"}},
		{"key":"gen_ai.tool.call.arguments","value":{"kvlistValue":{"values":[{"key":"at","value":{"stringValue":"door"}},{"key":"n","value":{"intValue":"1"}}]}}},
		{"key":"gen_ai.tool.call.result","value":{"stringValue":"closed"}}]}`
	otlpFailed = `{"traceId":"t","name":"execute_tool look","startTimeUnixNano":%[1]d,"status":{"code":2},"attributes":[
		{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"look"}},
		{"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"at\":%[1]d}"}}],
		"events":[{"name":"exception","attributes":[{"key":"exception.message","value":{"stringValue":"there is no door"}}]}]}`
	otlpChat = `{"traceId":"t","name":"chat","startTimeUnixNano":"%[1]d","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
		{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c\",\"response\":\"closed\"}]}]"}}],
		"events":[{"name":"gen_ai.client.inference.operation.details","attributes":[{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"Look %[1]d.\"},{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"look\",\"arguments\":{\"at\":\"door\"}}]}]"}}]}]}`
)

func openAI(sep string) string {
	return strings.ReplaceAll(openAIHead+list(stuck, openAITurn, "SEP"), "SEP", sep)
}

func otlpFile(spans string) string {
	return `{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[` + spans + `]}]}]}` + "\n"
}

// TestBacktestFormats: the same loop is found in each format, recognised or named,
// at the number of the message, step, or span.
func TestBacktestFormats(t *testing.T) {
	t.Parallel()
	const loop = "critical generic_repeat 8: look was called 8 times"
	for _, tc := range []struct {
		name, format, content string
		want                  string
	}{
		{"lines", "lines", strings.Repeat(`{"tool":"look","args":{"at":"door"},"result":"closed"}`+"\n", stuck), "at 8: " + loop},
		{"openai array", "openai", "[" + openAI(",\n") + "]", "at 17: " + loop},
		{"openai object", "openai", `{"model":"m","messages":[` + openAI(",") + "]}", "at 17: " + loop},
		{"openai message a line", "openai", openAI("\n"), "at 17: " + loop},
		{"openai conversation a line", "openai", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Hello."}]}` + "\n" + `{"messages":[` + openAI(",") + "]}\n", "#2 (run)\n  history at 17: " + loop},
		{"openai functions", "openai", "[" + strings.Repeat(openAIFunction+",", stuck) + `{"role":"assistant","content":"No."}]`, "at 15: " + loop},
		{"langchain dicts", "langchain", `[{"type":"human","data":{"content":"go"}},` + list(stuck, langChainTurn, ",") + "]", "at 16: " + loop},
		{"langchain flat", "langchain", `{"messages":[{"type":"human","content":"go"},` + list(stuck, langChainFlat, ",") + "]}", "at 16: " + loop},
		{"langchain objects", "langchain", "[" + list(3, langChainLC, ",") + "]", "at 5: critical consecutive_errors 3"},
		{"swe-agent", "swe-agent", `{"environment":"e","trajectory":[` + list(stuck, sweAgentStep, ",") + `],"history":[],"info":{}}`, "at 8: critical generic_repeat 8: open was called 8 times"},
		{"otlp tools", "otlp", otlpFile(list(4, otlpTool, ",")) + otlpFile(list(stuck, otlpTool, ",")), "at 8: " + loop},
		{"otlp chats", "otlp", otlpFile(list(stuck, otlpChat, ",")), "at 8: " + loop},
		{"otlp errors", "otlp", otlpFile(list(3, otlpFailed, ",")), `at 3: critical consecutive_errors 3: look failed 3 times with the same error: "there is no door"`},
	} {
		dir := t.TempDir()
		writeFile(t, dir, "history", tc.content)
		for _, args := range [][]string{nil, {"--format", tc.format}} {
			status, out, said := backtestFiles(t, append([]string{filepath.Join(dir, "history")}, args...)...)
			if status != exitOK || !strings.Contains(out, "tripped  history") || !strings.Contains(out, tc.want) {
				t.Errorf("%s %v: status %d\n%s%swant %s", tc.name, args, status, out, said, tc.want)
			}
		}
	}
}

// TestBacktestRunsOfAChat: what a person says begins a new run, and results find
// their calls in any order.
func TestBacktestRunsOfAChat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, "chat.json", "["+strings.Repeat(strings.ReplaceAll(openAIHead+list(4, openAITurn, ","), "SEP", ",")+",", 3)+`{"role":"assistant","content":"No."}]`)
	two := `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"look","arguments":"{}"}},{"id":"b","function":{"name":"hear","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"b","content":"noise %[1]d"},{"role":"tool","tool_call_id":"a","content":"light %[1]d"}`
	writeFile(t, dir, "parallel.json", "["+list(4, two, ",")+"]")
	status, out, said := backtestFiles(t, dir)
	if status != exitOK || !strings.Contains(out, "cases: 2, listed: 0") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
}

// TestBacktestNamesWhatIsWrong: the file and the position.
func TestBacktestNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, content string
		args          []string
		want          string
	}{
		{"a.json", "[{\"role\":\"user\"},\n{\"role\":]", nil, "a.json: line 2: is not JSON"},
		{"a.json", `[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"c9","content":"x"}]`, nil, `a.json: message 2: answers the tool call "c9", which no message before it made`},
		{"a.jsonl", `{"messages":[{"role":"user"}]}` + "\n" + `{"messages":[{"role":"robot"}]}`, nil, `a.jsonl: conversation 2: message 1: the role "robot" is not known`},
		{"a.json", `[{"role":"user","content":7}]`, nil, `a.json: message 1: the field "content" is neither a text nor a list`},
		{"a.json", `[{"role":"assistant","tool_calls":[{"id":"c"}]}]`, nil, "a.json: message 1: has a tool call without a name"},
		{"a.json", `[{"type":"ai","content":""},{"type":"robot"}]`, nil, `a.json: message 2: the type "robot" is not known`},
		{"a.traj", `{"trajectory":[{"action":"ls"},{"action":[]}]}`, nil, "a.traj: step 2: is not a step of a trajectory"},
		{"a.json", otlpFile(`{"traceId":"t","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}}]}`), nil, `a.json: trace "t": span 1: executes a tool without the attribute gen_ai.tool.name`},
		{"a.json", otlpFile(`{"traceId":"t"}`), nil, "a.json: has no span of a model or a tool"},
		{"a.jsonl", "{\"turn\":true}\n{\"tool\":7}\n", nil, "a.jsonl: line 2: is not a JSON object of a history"},
		{"a.json", `{"other":1}`, nil, "a.json: is in no known format; name it with --format: lines, otlp, swe-agent, langchain, openai"},
		{"a.json", "", nil, "a.json: is empty"},
		{"a.txt", "", nil, "has no histories: no file ends in .jsonl"},
		{"a.json", "{}", []string{"--format", "csv"}, `flag --format: "csv" is not a format; allowed: lines`},
		{"a.json", "{}", []string{"--from", "2026-01-01"}, "flags --from and --to are for past runs of the database"},
		{"a.json", "{}", []string{"--set", "guard.loudness=1"}, "flag --set: guard.loudness: is not a guard setting"},
		{"index.json", `{"cases":[{"file":"a","label":"noisy"}]}`, nil, `index.json: case 1: the label "noisy" is not known; allowed: loud, quiet`},
		{"index.json", `{"cases":[{"file":"../index.json"}]}`, nil, "../index.json cannot be read"},
		{"index.json", `{"cases":[{"file":"gone.jsonl","level":"pause"}]}`, nil, "gone.jsonl cannot be read: no such file"},
		{"index.json", `{"cases":[{"file":"index.json","level":"much"}]}`, nil, `the level "much" is not known; allowed: warning, pause, stop`},
		{"index.json", `{"tools":{"look":"magic"},"cases":[{"file":"x"}]}`, nil, `the tool "look" is declared as "magic"; allowed: polling, read`},
	} {
		dir := t.TempDir()
		writeFile(t, dir, tc.name, tc.content)
		status, out, said := backtestFiles(t, append([]string{dir}, tc.args...)...)
		if status != exitUsage || out != "" || !strings.Contains(said, tc.want) {
			t.Errorf("%s %s: status %d, printed %q, said %q, want %q", tc.name, tc.content, status, out, said, tc.want)
		}
	}
	if status, _, said := backtestFiles(t); status != exitUsage || !strings.Contains(said, "flags --json, --format, and --tool need a PATH") {
		t.Errorf("without a path: status %d, said %q", status, said)
	}
}

// TestBacktestBounds: a file that is too large is not read.
func TestBacktestBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, "large.jsonl", "{}")
	must(t, os.Truncate(filepath.Join(dir, "large.jsonl"), 64<<20+1))
	must(t, os.Symlink("/etc/hostname", filepath.Join(dir, "link.jsonl")))
	status, _, said := backtestFiles(t, dir)
	if status != exitUsage || !strings.Contains(said, "large.jsonl cannot be read: it is larger than 64 MiB") {
		t.Errorf("status %d, said %q", status, said)
	}
	writeFile(t, dir, "index.json", `{"cases":[{"file":"link.jsonl"}]}`)
	status, _, said = backtestFiles(t, dir)
	if status != exitUsage || !strings.Contains(said, "link.jsonl cannot be read: path escapes") {
		t.Errorf("a link that leads out of the folder: status %d, said %q", status, said)
	}
}

func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}
