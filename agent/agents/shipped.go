package agents

import (
	_ "embed"
	"slices"
	"strings"

	"fusebox/agent"
)

// What the agents are told, one file each.
var (
	//go:embed researcher.md
	researcher string
	//go:embed writer.md
	writer string
	//go:embed editor.md
	editor string
	//go:embed reviewer.md
	reviewer string
	//go:embed analyst.md
	analyst string
	//go:embed coder.md
	coder string
)

// The tools that most agents have: to read what people and earlier steps have left, and to
// hand values in.
var (
	documents = []string{"knowledge_search", "document_list", "document_read"}
	files     = []string{"list_files", "read_file", "glob", "grep"}
	always    = []string{"fetch_output", "emit_value"}
)

// Shipped are the agents that come with this version of the program. None of them has the
// tool by which agents are given tasks.
func Shipped() []agent.Agent {
	return []agent.Agent{
		shipped("researcher", researcher, "Finds out what is known about a question, on the web and in your documents, and reports it with its sources.",
			documents, []string{"web_search", "web_fetch", "get_weather", "calculator", "update_plan"}),
		shipped("writer", writer, "Writes a text from facts that it is given or finds in your documents: an article, a letter, a report.",
			documents, files, []string{"write_file", "edit_file", "document_save"}),
		shipped("editor", editor, "Improves a text that is there without changing what it says, and lists what it changed.",
			documents, files, []string{"write_file", "edit_file", "document_save"}),
		shipped("reviewer", reviewer, "Checks a text, a result, or code against what was asked for, and reports what is wrong. It only reads.",
			documents, files, []string{"calculator"}),
		shipped("analyst", analyst, "Answers questions about data by computing them, in files and documents, and shows how it came to each number.",
			documents, files, []string{"calculator", "run_shell", "write_file", "update_plan"}),
		shipped("coder", coder, "Writes and changes code in the files of the chat, and runs it to see whether it works.",
			files, []string{"write_file", "edit_file", "run_shell", "update_plan"}),
	}
}

func shipped(name, instructions, purpose string, tools ...[]string) agent.Agent {
	return agent.Agent{
		Name: name, Purpose: purpose, Instructions: strings.TrimSpace(instructions), Tools: slices.Concat(append(tools, always)...),
	}
}
